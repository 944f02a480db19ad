"""Write docs/gallery.md: `make gallery`, or `python examples/gallery.py`.

A dozen documents in the shapes of real tools, each clipped to 2,000 bytes. All
of them are made here, from a seed; names and texts are invented.
"""

from __future__ import annotations

import base64
import datetime
import functools
import json
import math
import random
import textwrap
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import streamclip

BUDGET = 2_000
WIDTH = 96  # of the shown form
CUTS_SHOWN = 4
PAGE = Path(__file__).resolve().parent.parent / "docs" / "gallery.md"

PEOPLE = [
    ("lin-wanqing", "林晚晴"),
    ("zhou-mubai", "周慕白"),
    ("mhofstetter", "Mira Hofstetter"),
    ("tadeo-ruiz", "Tadeo Ruiz"),
    ("asbjorn-k", "Asbjørn Kvam"),
    ("shen-ruoxi", "沈若曦"),
    ("odalys", "Odalys Ferrer"),
]
PARTS = ["the scheduler", "the CSV export", "the login page", "the cache", "导出功能"]
FAULTS = [
    "loses the last row when the file ends without a line break",
    "shows yesterday's numbers until the second reload",
    "needs 40 s for a list of 300 entries",
    "answers 500 if the name contains an umlaut",
    "在时区为 UTC+8 时日期少一天",
]
STEPS = [
    "Start with an empty profile and import the sample project.",
    "Open the settings and switch the language twice.",
    "从列表中选择任意一条记录，然后点击“导出”。",
    "Wait until the progress bar has reached the end.",
    "Expected: the file has as many rows as the table. Actual: one is missing.",
    "It happens with the stable release and with the nightly build of yesterday.",
    "日志里没有任何错误，只有一条超时警告。",
]
SERVICES = ["checkout", "inventory", "gateway", "mailer", "搜索"]


def minified(value: Any) -> str:
    """Write a value without white space, as servers do."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def hexadecimal(pick: random.Random, digits: int) -> str:
    """Make an id."""
    return f"{pick.getrandbits(4 * digits):0{digits}x}"


def moment(minutes: int) -> str:
    """Make a time, so many minutes after the first."""
    start = datetime.datetime(2026, 3, 2, 8, 0)
    return (start + datetime.timedelta(minutes=minutes)).isoformat() + "Z"


def prose(pick: random.Random, sentences: int) -> str:
    """Make a paragraph."""
    return " ".join(pick.choice(STEPS) for _ in range(sentences))


def issues(pick: random.Random) -> str:
    """Make a page of 100 issues."""
    api = "https://api.example.com"

    def user() -> dict[str, Any]:
        login, _ = pick.choice(PEOPLE)
        number = pick.randrange(10**7)
        return {
            "login": login,
            "id": number,
            "avatar_url": f"https://avatars.example.com/u/{number}?v=4",
            "url": f"{api}/users/{login}",
            "html_url": f"https://example.com/{login}",
            "repos_url": f"{api}/users/{login}/repos",
            "events_url": f"{api}/users/{login}/events{{/privacy}}",
            "type": "User",
            "site_admin": False,
        }

    def issue(number: int) -> dict[str, Any]:
        url = f"{api}/repos/harbour/ledger/issues/{number}"
        return {
            "url": url,
            "labels_url": url + "/labels{/name}",
            "comments_url": url + "/comments",
            "html_url": f"https://example.com/harbour/ledger/issues/{number}",
            "id": 2_800_000_000 + number,
            "number": number,
            "title": f"{pick.choice(PARTS)} {pick.choice(FAULTS)}",
            "user": user(),
            "labels": [
                {
                    "id": at,
                    "url": f"{api}/repos/harbour/ledger/labels/{name}",
                    "name": name,
                    "color": hexadecimal(pick, 6),
                    "default": at == 0,
                }
                for at, name in enumerate(pick.sample(["bug", "export", "i18n"], 2))
            ],
            "state": "open",
            "locked": False,
            "assignee": user() if pick.random() < 0.5 else None,
            "comments": pick.randrange(30),
            "created_at": moment(7 * number),
            "updated_at": moment(9 * number),
            "body": prose(pick, pick.randint(4, 40)),
            "reactions": {"url": url + "/reactions", "total_count": 2, "+1": 2},
        }

    return minified([issue(number) for number in range(1842, 1742, -1)])


def pods(pick: random.Random) -> str:
    """Make the pods of all namespaces, as kubectl prints them."""

    def pod(number: int) -> dict[str, Any]:
        app = pick.choice(["checkout", "inventory", "gateway", "mailer"])
        name = f"{app}-{hexadecimal(pick, 10)}-{hexadecimal(pick, 5)}"
        restarts = pick.choice([0, 0, 0, 0, 17])
        image = f"registry.example.com/shop/{app}:4.{pick.randrange(9)}.1"
        return {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {
                "annotations": {
                    "kubectl.kubernetes.io/restartedAt": moment(number),
                    "prometheus.io/scrape": "true",
                },
                "creationTimestamp": moment(number),
                "generateName": name[:-5],
                "labels": {"app": app, "pod-template-hash": name[-16:-6]},
                "name": name,
                "namespace": pick.choice(["shop", "shop-test"]),
                "resourceVersion": str(7_400_000 + number),
                "uid": str(uuid.UUID(int=pick.getrandbits(128))),
            },
            "spec": {
                "containers": [
                    {
                        "env": [
                            {"name": f"SETTING_{at}", "value": hexadecimal(pick, 8)}
                            for at in range(8)
                        ],
                        "image": image,
                        "name": app,
                        "ports": [{"containerPort": 8080, "protocol": "TCP"}],
                        "resources": {
                            "limits": {"cpu": "500m", "memory": "512Mi"},
                            "requests": {"cpu": "100m", "memory": "256Mi"},
                        },
                    }
                ],
                "nodeName": f"worker-{pick.randrange(12)}",
                "restartPolicy": "Always",
                "serviceAccountName": app,
            },
            "status": {
                "conditions": [
                    {"lastTransitionTime": moment(number), "status": "True", "type": at}
                    for at in ("Initialized", "Ready", "PodScheduled")
                ],
                "containerStatuses": [
                    {
                        "image": image,
                        "name": app,
                        "ready": not restarts,
                        "restartCount": restarts,
                    }
                ],
                "hostIP": f"10.0.0.{pick.randrange(255)}",
                "phase": "CrashLoopBackOff" if restarts else "Running",
                "podIP": f"10.42.{pick.randrange(9)}.{pick.randrange(255)}",
            },
        }

    found = {
        "apiVersion": "v1",
        "items": [pod(number) for number in range(120)],
        "kind": "List",
        "metadata": {"resourceVersion": ""},
    }
    return json.dumps(found, indent=4) + "\n"


def notebook(pick: random.Random) -> str:
    """Make a notebook that has drawn two pictures."""

    def picture() -> str:
        return base64.b64encode(b"\x89PNG\r\n\x1a\n" + pick.randbytes(90_000)).decode()

    def cell(number: int, code: str, *outputs: dict[str, Any]) -> dict[str, Any]:
        return {
            "cell_type": "code",
            "execution_count": number,
            "metadata": {},
            "outputs": list(outputs),
            "source": [line + "\n" for line in code.split("\n")],
        }

    def text_cell(text: str) -> dict[str, Any]:
        return {"cell_type": "markdown", "metadata": {}, "source": [text]}

    def drawing(number: int) -> dict[str, Any]:
        return {
            "data": {
                "image/png": picture(),
                "text/plain": [f"<Figure size 1200x800 with {number} Axes>"],
            },
            "metadata": {},
            "output_type": "display_data",
        }

    cells = [
        text_cell("# 潮位观测分析\n"),
        cell(1, "import pandas as pd\ntide = pd.read_csv('tide.csv')"),
        cell(2, "tide.plot(figsize=(12, 8))", drawing(1)),
        text_cell("下面按月份求平均值，并与前一年比较。\n"),
        cell(3, "tide.resample('M').mean().plot(subplots=True)", drawing(4)),
    ]
    for number in range(4, 40):
        mean = f"month {number % 12 + 1}: mean {pick.uniform(1, 4):.3f} m\n"
        cells.append(text_cell(prose(pick, 3) + "\n"))
        cells.append(
            cell(
                number,
                f"month = tide[tide.month == {number % 12 + 1}]\nmonth.level.mean()",
                {"name": "stdout", "output_type": "stream", "text": [mean]},
            )
        )
    found = {
        "cells": cells,
        "metadata": {"kernelspec": {"display_name": "Python 3", "name": "python3"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(found, ensure_ascii=False, indent=1) + "\n"


def har(pick: random.Random) -> str:
    """Make what a browser recorded of a page that loads slowly."""

    def headers(number: int) -> list[dict[str, str]]:
        return [
            {"name": "content-type", "value": "text/html; charset=utf-8"},
            {"name": "date", "value": moment(0)},
            {"name": "set-cookie", "value": f"s={hexadecimal(pick, 64)}; Path=/"},
            {"name": "server", "value": "harbour/2.1"},
            {"name": "x-request-id", "value": hexadecimal(pick, 32)},
        ][: 3 + number % 3]

    def entry(number: int) -> dict[str, Any]:
        path = pick.choice(["app.js", "fonts/main.woff2", "搜索?q=潮位", "api/cart"])
        body = pick.randrange(2_000, 4_000)
        return {
            "startedDateTime": moment(0),
            "time": round(pick.uniform(4, 900), 3),
            "request": {
                "method": "GET",
                "url": f"https://shop.example.com/{path}"
                if number
                else "https://shop.example.com/",
                "httpVersion": "HTTP/2",
                "headers": headers(number),
                "queryString": [],
                "cookies": [],
                "headersSize": -1,
                "bodySize": 0,
            },
            "response": {
                "status": pick.choice([200, 200, 200, 304, 502]),
                "statusText": "",
                "httpVersion": "HTTP/2",
                "headers": headers(number + 1),
                "cookies": [],
                "content": {
                    "size": body,
                    "mimeType": "text/html",
                    "text": base64.b64encode(pick.randbytes(body)).decode(),
                    "encoding": "base64",
                },
                "redirectURL": "",
                "headersSize": -1,
                "bodySize": body,
            },
            "cache": {},
            "timings": {
                "send": 0.1,
                "wait": round(pick.uniform(1, 800), 2),
                "receive": 2.5,
            },
        }

    log = {
        "version": "1.2",
        "creator": {"name": "recorder", "version": "9.4"},
        "pages": [
            {
                "startedDateTime": moment(0),
                "id": "page_1",
                "title": "https://shop.example.com/",
                "pageTimings": {"onContentLoad": 812.4, "onLoad": 2210.9},
            }
        ],
        "entries": [entry(number) for number in range(80)],
    }
    return json.dumps({"log": log}, ensure_ascii=False, indent=2) + "\n"


def search(pick: random.Random) -> str:
    """Make an answer of a search in logs: hits, and what they come to by hour."""
    services = ["checkout", "inventory", "gateway", "mailer"]

    def hit(number: int) -> dict[str, Any]:
        return {
            "_index": "logs-2026.03.02",
            "_id": hexadecimal(pick, 20),
            "_score": None,
            "_source": {
                "@timestamp": moment(number),
                "level": pick.choice(["ERROR", "WARN"]),
                "service": pick.choice(services),
                "message": prose(pick, pick.randint(1, 6)),
                "trace": hexadecimal(pick, 32),
            },
            "sort": [1772438400000 + 60_000 * number],
        }

    found = {
        "took": 37,
        "timed_out": False,
        "_shards": {"total": 5, "successful": 5, "skipped": 0, "failed": 0},
        "hits": {
            "total": {"value": 10_000, "relation": "gte"},
            "max_score": None,
            "hits": [hit(number) for number in range(500)],
        },
        "aggregations": {
            "by_service": {
                "doc_count_error_upper_bound": 0,
                "sum_other_doc_count": 12,
                "buckets": [
                    {"key": name, "doc_count": pick.randrange(100, 4_000)}
                    for name in services
                ],
            },
            "by_hour": {
                "buckets": [
                    {
                        "key_as_string": moment(60 * hour),
                        "key": 1772438400000 + 3_600_000 * hour,
                        "doc_count": pick.randrange(900),
                    }
                    for hour in range(168)
                ]
            },
        },
    }
    return minified(found)


def weather(pick: random.Random) -> str:
    """Make a year by the hour: an array for each value."""
    hours = range(365 * 24)

    def column(mean: float, swing: float) -> list[float]:
        return [
            round(mean + swing * math.sin(hour / 3.82) + pick.uniform(0, 2), 1)
            for hour in hours
        ]

    names = ["temperature_2m", "apparent_temperature", "dew_point_2m", "wind_speed_10m"]
    units = dict.fromkeys(names[:3], "°C") | {"wind_speed_10m": "km/h"}
    found = {
        "latitude": 30.25,
        "longitude": 120.125,
        "generationtime_ms": 0.7132,
        "utc_offset_seconds": 28800,
        "timezone": "Asia/Shanghai",
        "hourly_units": {"time": "iso8601", **units},
        "hourly": {
            "time": [moment(60 * hour)[:16] for hour in hours],
            **{name: column(15 - 3 * at, 6) for at, name in enumerate(names)},
        },
    }
    return minified(found)


def packument(pick: random.Random) -> str:
    """Make what a registry knows of a package with 240 versions."""
    numbers = [f"{at // 40}.{at // 4 % 10}.{at % 4}" for at in range(240)]

    def version(number: str) -> dict[str, Any]:
        return {
            "name": "tide-table",
            "version": number,
            "description": "Predict high and low water",
            "main": "index.js",
            "scripts": {"test": "node --test", "build": "node build.js"},
            "dependencies": {"moon-phase": "^2.1.0", "潮汐": "~1.0.4"},
            "devDependencies": {f"tool-{at}": f"^{at}.0.0" for at in range(9)},
            "dist": {
                "integrity": "sha512-" + base64.b64encode(pick.randbytes(64)).decode(),
                "shasum": hexadecimal(pick, 40),
                "tarball": f"https://registry.example.com/tide-table-{number}.tgz",
                "fileCount": pick.randrange(8, 60),
                "unpackedSize": pick.randrange(10**4, 10**6),
            },
            "maintainers": [{"name": "odalys", "email": "odalys@example.com"}],
            "_nodeVersion": "22.14.0",
        }

    found = {
        "_id": "tide-table",
        "name": "tide-table",
        "dist-tags": {"latest": numbers[-1], "next": "6.0.0-rc.1"},
        "versions": {number: version(number) for number in numbers},
        "time": {number: moment(9_000 * at) for at, number in enumerate(numbers)},
        "readme": "# tide-table\n\n" + prose(pick, 200),
        "license": "MIT",
    }
    return minified(found)


def graphql(pick: random.Random) -> str:
    """Make a page of a connection: edges first, pageInfo after them."""

    def review(number: int) -> dict[str, Any]:
        login, name = pick.choice(PEOPLE)
        return {
            "cursor": base64.b64encode(f"review:{number}".encode()).decode(),
            "node": {
                "id": f"R_{hexadecimal(pick, 12)}",
                "author": {"login": login, "name": name},
                "rating": pick.randint(1, 5),
                "submittedAt": moment(31 * number),
                "text": prose(pick, pick.randint(1, 9)),
            },
        }

    reviews = [review(number) for number in range(500)]
    connection = {
        "edges": reviews,
        "pageInfo": {"hasNextPage": True, "endCursor": reviews[-1]["cursor"]},
        "totalCount": 4182,
    }
    found = {
        "data": {"product": {"name": "防水登山背包 40L", "reviews": connection}},
        "extensions": {"cost": {"requested": 502, "left": 4498}},
    }
    return minified(found)


def tool_result(pick: random.Random) -> str:
    """Make a result of tools/call: the same rows as text and as a structure."""
    rows = [
        {
            "order": 70_001 + number,
            "buyer": pick.choice(PEOPLE)[1],
            "amount": round(pick.uniform(9, 900), 2),
            "city": pick.choice(["杭州", "Valparaíso", "Tromsø", "Porto"]),
            "remark": prose(pick, pick.randint(0, 2)),
        }
        for number in range(700)
    ]
    structured = {"orders": rows, "count": 700}
    found = {
        "jsonrpc": "2.0",
        "id": 12,
        "result": {
            "content": [{"type": "text", "text": minified(structured)}],
            "structuredContent": structured,
            "isError": False,
        },
    }
    return minified(found)


def matrix(pick: random.Random) -> str:
    """Make an answer to a range query: 24 series of 6 hours."""

    def series(number: int) -> dict[str, Any]:
        level = pick.uniform(0.1, 4)
        return {
            "metric": {
                "__name__": "cpu_seconds_rate",
                "instance": f"worker-{number // 4}:9100",
                "mode": ["user", "system", "iowait", "idle"][number % 4],
            },
            "values": [
                [1772438400 + 30 * at, f"{level + pick.uniform(-0.05, 0.05):.4f}"]
                for at in range(720)
            ],
        }

    result = [series(number) for number in range(24)]
    found = {
        "status": "success",
        "data": {"resultType": "matrix", "result": result},
        "infos": ["PromQL info: metric might not be a counter"],
    }
    return minified(found)


def history(pick: random.Random) -> str:
    """Make a channel's messages with the blocks that show them."""

    def message(number: int) -> dict[str, Any]:
        text = prose(pick, pick.randint(1, 5))
        return {
            "type": "message",
            "user": f"U{pick.randrange(16**8):08X}",
            "text": text,
            "ts": f"{1772438400 - 61 * number}.{pick.randrange(10**6):06}",
            "team": "T02HARBOUR",
            "blocks": [
                {
                    "type": "rich_text",
                    "block_id": hexadecimal(pick, 5),
                    "elements": [
                        {
                            "type": "rich_text_section",
                            "elements": [{"type": "text", "text": text}],
                        }
                    ],
                }
            ],
            "reactions": [{"name": "eyes", "users": ["U0K1"], "count": 1}]
            if pick.random() < 0.3
            else [],
        }

    found = {
        "ok": True,
        "messages": [message(number) for number in range(400)],
        "has_more": True,
        "pin_count": 3,
        "response_metadata": {"next_cursor": "bmV4dF90czoxNzcyNDE0MDAw"},
    }
    return minified(found)


def log_lines(pick: random.Random) -> str:
    """Make a service's log, one event a line, some with a long stack."""

    def event(number: int) -> dict[str, Any]:
        found = {
            "time": moment(0)[:-1] + f".{number % 1000:03}Z",
            "level": pick.choice(["info", "info", "info", "warn"]),
            "service": pick.choice(SERVICES),
            "event": pick.choice(["request", "cache miss", "订单已创建", "retry"]),
            "ms": round(pick.expovariate(0.05), 2),
            "trace": hexadecimal(pick, 16),
        }
        if number % 9 == 4:
            frames = (f"  at {pick.choice(SERVICES)}.run:{at}" for at in range(60))
            found |= {"level": "error", "stack": "TimeoutError\n" + "\n".join(frames)}
        return found

    return "".join(minified(event(number)) + "\n" for number in range(2_400))


@dataclass(frozen=True)
class Exhibit:
    """A document, what it is, and how it is clipped."""

    title: str
    file: str
    about: str
    make: Callable[[random.Random], str]
    options: dict[str, Any] = field(default_factory=dict)
    why: str = ""

    @functools.cached_property
    def text(self) -> str:
        """The document, the same every time."""
        return self.make(random.Random(self.file))

    @property
    def call(self) -> str:
        """What is written to clip it."""
        options = {"max_bytes": BUDGET, **self.options}
        told = "".join(
            f", {name}={value:_}" if isinstance(value, int) else f', {name}="{value}"'
            for name, value in options.items()
        )
        arguments = f'Path("{self.file}"){told}'
        line = f"result = clip({arguments})"
        return line if len(line) <= 88 else f"result = clip(\n    {arguments}\n)"

    def clip(self) -> streamclip.Clip:
        """Clip it."""
        return streamclip.clip(self.text, max_bytes=BUDGET, **self.options)


EXHIBITS = [
    Exhibit(
        "Issues of a repository",
        "issues.json",
        "A page of 100 issues, as GitHub's REST API lists them: much of each is URLs.",
        issues,
    ),
    Exhibit(
        "Pods of a cluster",
        "pods.json",
        "120 pods, as `kubectl get pods -A -o json` prints them, indented by four.",
        pods,
        {"max_record_bytes": 650},
        "With larger records there are two instead of three, but with their names.",
    ),
    Exhibit(
        "A notebook",
        "tides.ipynb",
        "A Jupyter notebook whose two pictures, in base64, are most of its bytes.",
        notebook,
    ),
    Exhibit(
        "A recorded page",
        "shop.har",
        "80 requests and their answers, as a browser exports them (HAR).",
        har,
    ),
    Exhibit(
        "A search with aggregations",
        "search.json",
        "500 hits of an Elasticsearch query, and after them its aggregations.",
        search,
        {"max_string_chars": 80},
        "Shorter messages make room for more of them.",
    ),
    Exhibit(
        "A weather table",
        "weather.json",
        "A year by the hour in columns, as Open-Meteo answers: what belongs together "
        "has one index, so all columns keep the same number.",
        weather,
    ),
    Exhibit(
        "A package with all its versions",
        "tide-table.json",
        "An npm packument: a map of 240 versions, another of their dates.",
        packument,
        {"max_string_chars": 100},
        "The readme would take a third of the room.",
    ),
    Exhibit(
        "A page of a connection",
        "reviews.json",
        "A GraphQL answer: 500 edges first, `pageInfo` and the count after them.",
        graphql,
    ),
    Exhibit(
        "A tool's result",
        "tools-call.json",
        "What an MCP server answers to `tools/call`: its rows as text and again as "
        "`structuredContent`, which has to fit a schema.",
        tool_result,
        {"report": "detached", "max_string_chars": 100},
        "Detached, the report adds nothing and is only in `result.report`; the text makes room for the rows.",
    ),
    Exhibit(
        "Time series",
        "range.json",
        "24 series of 720 samples, as Prometheus answers a range query.",
        matrix,
        {"max_items": 6},
        "A few samples of more series say more.",
    ),
    Exhibit(
        "A channel's history",
        "history.json",
        "400 Slack messages, each with its text twice, and the cursor at the end.",
        history,
        {"max_record_bytes": 900},
        "Two messages fit whole.",
    ),
    Exhibit(
        "A log",
        "service.jsonl",
        "JSON Lines: 2,400 events of a service, every ninth with a long stack.",
        log_lines,
        {"max_string_chars": 60},
        "The head of a stack is enough.",
    ),
]


class Number(str):
    """A number as it is written."""


def wrapped(text: str) -> str:
    """Break JSON text into lines for reading; numbers stay as they are written."""
    value = json.loads(text, parse_int=Number, parse_float=Number)
    return "\n".join(_lines(value, "", WIDTH))


def _lines(value: Any, before: str, width: int) -> Iterator[str]:
    """Yield the lines of a value that has a key or nothing before it."""
    line = before + _one_line(value)
    if len(line) <= width or not isinstance(value, (dict, list)) or not value:
        yield line
        return
    signs = "{}" if isinstance(value, dict) else "[]"
    pairs = (
        [(json.dumps(key, ensure_ascii=False) + ": ", of) for key, of in value.items()]
        if isinstance(value, dict)
        else [("", of) for of in value]
    )
    yield before + signs[0]
    filled = ""
    for at, (key, of) in enumerate(pairs):
        comma = "," if at < len(pairs) - 1 else ""
        part = key + _one_line(of) + comma
        if filled and len(filled) + 1 + len(part) > width - 2:
            yield "  " + filled
            filled = ""
        if len(part) <= width - 2:
            filled = f"{filled} {part}" if filled else part
            continue
        *lines, last = _lines(of, key, width - 2)
        yield from ("  " + line for line in lines)
        yield "  " + last + comma
    if filled:
        yield "  " + filled
    yield signs[1]


def _one_line(value: Any) -> str:
    if isinstance(value, Number):
        return str(value)
    if isinstance(value, dict):
        parts = (f"{_one_line(key)}: {_one_line(of)}" for key, of in value.items())
        return "{" + ", ".join(parts) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_one_line, value)) + "]"
    return json.dumps(value, ensure_ascii=False)


def left_out(report: streamclip.Report) -> str:
    """Say in a line what the report says."""
    told = [
        f"{cut.omitted:,} of {cut.total:,} "
        f"{'characters' if cut.unit == 'chars' else cut.unit} "
        f"{f'in `{cut.path}`' if cut.path else 'at the root'}"
        for cut in report.cuts[:CUTS_SHOWN]
    ]
    if len(report.cuts) > CUTS_SHOWN:
        told.append(f"and {len(report.cuts) - CUTS_SHOWN} more")
    line = "Left out: " + "; ".join(told) + "."
    if report.cursor_gap:
        line += f" Following `{report.cursor_gap}` would skip what is left out here."
    return line


def paragraph(text: str) -> str:
    """Break a paragraph into lines, as the other pages are."""
    return textwrap.fill(text, 80, break_long_words=False, break_on_hyphens=False)


def section(exhibit: Exhibit) -> str:
    """Write an exhibit's part of the page."""
    result = exhibit.clip()
    shown = "\n".join(wrapped(line) for line in result.text.splitlines())
    sizes = f"{len(exhibit.text.encode()):,} bytes, clipped to {len(result.data):,}."
    return f"""## {exhibit.title}

{paragraph(" ".join([exhibit.about, sizes, exhibit.why]).rstrip())}

```python
{exhibit.call}
```

```json
{shown}
```

{paragraph(left_out(result.report))}
"""


def page() -> str:
    """Write the whole page."""
    head = f"""# Gallery

A dozen documents in the shapes that real tools return, each clipped to
{BUDGET:,} bytes. All of them are made by `examples/gallery.py`, names and texts
included; `make gallery` writes this page.

The clips are shown indented, for reading. They are one line each, or one a
record in JSON Lines, and the sizes are of that.

"""
    return head + "\n".join(map(section, EXHIBITS))


def main() -> None:
    """Write the page."""
    PAGE.write_text(page(), encoding="utf-8", newline="\n")
    print(f"wrote docs/{PAGE.name}: {len(EXHIBITS)} documents")


if __name__ == "__main__":
    main()
