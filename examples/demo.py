"""Show what streamclip does: `make demo`, or `python examples/demo.py`.

First a document of several megabytes is clipped to 2,000 bytes on the command
line. Then one line of JSON, 40 work orders, is brought down to a budget of
2,000 in five ways, and what a reader gets from each is compared. All data is
made here, from a seed.
"""

from __future__ import annotations

import base64
import io
import json
import random
import shlex
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

import streamclip

BUDGET = 2_000
ORDERS = 9_000
WORK_ORDERS = 40

SURNAMES = "王李张刘陈杨赵黄周吴徐孙胡朱高林何郭马罗"
GIVEN_NAMES = ["伟", "芳", "娜", "秀英", "敏", "静", "丽", "强", "磊", "洋", "艳", "杰"]
CITIES = [
    "上海市浦东新区",
    "北京市海淀区",
    "深圳市南山区",
    "杭州市西湖区",
    "成都市武侯区",
]
STREETS = ["人民路", "中山路", "解放大道", "科技园南路", "文一西路", "天府大道"]
GOODS = [
    "无线蓝牙耳机（降噪版）",
    "机械键盘 87 键",
    "不锈钢保温杯 500ml",
    "儿童绘本《小熊的一天》",
    "有机乌龙茶 250g",
    "防水登山背包 40L",
]
REMARKS = ["请工作日送货", "放门卫处即可", "需要开具增值税发票", "易碎，轻拿轻放", ""]
FAULTS = ["打印机卡纸", "网络时断时续", "门禁卡无法识别", "空调漏水", "投影仪无信号"]
PLACES = ["三楼会议室", "财务部", "一号仓库", "研发中心东区", "前台"]
STATES = ["待处理", "处理中", "已完成", "已挂起"]


def name_of(pick: random.Random) -> str:
    """Make a person's name."""
    return pick.choice(SURNAMES) + pick.choice(GIVEN_NAMES)


def order_of(pick: random.Random, number: int) -> str:
    """Make one order as JSON text, with numbers that no float keeps as written."""
    items = ",".join(
        f'{{"sku":"SKU-{pick.randrange(10**6):06}","name":"{pick.choice(GOODS)}",'
        f'"price":{pick.randrange(11, 5000) / 10:.2f},"quantity":{pick.randint(1, 5)}}}'
        for _ in range(pick.randint(1, 4))
    )
    return (
        f'{{"id":{9007199254740993 + 2 * number},"created_at":"2026-03-'
        f'{pick.randint(1, 31):02}T{pick.randint(0, 23):02}:15:00+08:00",'
        f'"buyer":{{"name":"{name_of(pick)}","phone":"138****{pick.randrange(10**4):04}",'
        f'"address":"{pick.choice(CITIES)}{pick.choice(STREETS)}'
        f'{pick.randint(1, 999)}号"}},"items":[{items}],"discount":1.10,'
        f'"status":"{pick.choice(STATES)}","remark":"{pick.choice(REMARKS)}"}}'
    )


def write_orders(path: Path, count: int = ORDERS) -> None:
    """Write an answer of an orders API: bulk first, the small things after it."""
    pick = random.Random(2026)
    invoice = base64.b64encode(pick.randbytes(300_000)).decode()
    with path.open("w", encoding="utf-8") as file:
        file.write('{"code":0,"message":"成功","data":{"orders":[\n')
        for number in range(count):
            file.write(",\n" if number else "")
            file.write(order_of(pick, number))
        file.write(f'\n],"attachment":{{"name":"发票.pdf","content":"{invoice}"}},')
        file.write(f'"total":{count * 7},"has_more":true}},')
        file.write('"next_cursor":"eyJvZmZzZXQiOjkwMDB9","request_id":"7c1e-42"}\n')


def work_orders(count: int = WORK_ORDERS) -> str:
    """Make one line of JSON: work orders in Chinese, and a cursor at the end."""
    pick = random.Random(42)
    rows = [
        {
            "id": 1001 + number,
            "title": f"{pick.choice(PLACES)}{pick.choice(FAULTS)}，请尽快安排人员检修",
            "reporter": name_of(pick),
            "assignee": name_of(pick),
            "status": pick.choice(STATES),
            "level": pick.randint(1, 3),
            "created_at": f"2026-03-{pick.randint(1, 28):02}T09:{pick.randint(10, 59)}",
        }
        for number in range(count)
    ]
    answer = {"rows": rows, "next_cursor": f"c{count}"}
    return json.dumps(answer, ensure_ascii=False, separators=(",", ":"))


@dataclass(frozen=True)
class Attempt:
    """One way to bring a text down to a budget, and what came out."""

    name: str
    data: bytes

    @property
    def text(self) -> str:
        """The result as a client decodes it."""
        return self.data.decode(errors="replace")

    @property
    def fault(self) -> str | None:
        """What the parser says, or None if it takes the text."""
        try:
            json.loads(self.text)
        except ValueError as error:
            return str(error)
        return None

    @property
    def replaced(self) -> int:
        """How many U+FFFD stand where half a character was."""
        return self.text.count("\ufffd")

    @property
    def lesson(self) -> str:
        """What a reader learns of the omission."""
        if not self.fault:
            cut = json.loads(self.text)["_clip"]["cuts"][0]
            return "{omitted} of {total} in {path}".format(**cut)
        if "characters omitted" in self.text:
            return "so many characters, but not how many records"
        return "nothing"


def attempts(text: str, budget: int = BUDGET) -> dict[str, Attempt]:
    """Bring a text down to a budget in five ways."""
    half = budget // 2
    gap = f"\n... [{len(text) - budget} characters omitted] ...\n"
    lines: list[str] = []
    for line in text.splitlines(keepends=True):
        if sum(map(len, lines)) + len(line) > budget:
            break
        lines.append(line)
    clip = streamclip.clip(text, max_bytes=budget)
    return {
        "A": Attempt("cut by characters", text[:budget].encode()),
        "B": Attempt("cut by bytes", text.encode()[:budget]),
        "C": Attempt("clipped by streamclip", clip.data),
        "D": Attempt("both ends, glued", (text[:half] + gap + text[-half:]).encode()),
        "E": Attempt("cut by lines", "".join(lines).encode()),
    }


def run_command(path: Path, budget: int = BUDGET) -> tuple[str, str]:
    """Clip a file with the real command; return its output and its statistics."""
    command = [sys.executable, "-m", "streamclip", str(path), "-b", str(budget)]
    done = subprocess.run(command, check=True, capture_output=True, encoding="utf-8")
    return done.stdout, done.stderr.strip()


def comparison(results: dict[str, Attempt]) -> Table:
    """Lay the attempts side by side."""
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("")
    for title in ("characters", "bytes", "U+FFFD"):
        table.add_column(title, justify="right")
    table.add_column("does it parse? what are its last 24 characters?")
    for letter, attempt in results.items():
        table.add_row(
            f"{letter} {attempt.name}",
            f"{len(attempt.text):,}",
            f"{len(attempt.data):,}",
            str(attempt.replaced),
            f"parser: {attempt.fault or 'yes'}\nends:   {attempt.text[-24:]}\n"
            f"tells of what is left out: {attempt.lesson}\n",
        )
    return table


def main() -> None:
    """Run the demonstration."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8")  # as JSON is, whatever the locale
    console = Console(highlight=False, markup=False, soft_wrap=True)
    if not console.is_terminal:
        console.width = 110
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory, "orders.json")
        write_orders(path)
        text, line = run_command(path)
        size = path.stat().st_size
    shown = shlex.join(["streamclip", path.name, "-b", str(BUDGET)])
    console.print(f"An answer of an orders API, {size:,} bytes:\n\n$ {shown}")
    console.print(f"{text}\n{line}\n")

    orders = work_orders()
    console.print(
        f"{WORK_ORDERS} work orders as one line of JSON, {len(orders):,} characters "
        f"or {len(orders.encode()):,} bytes, brought down to {BUDGET:,}:\n"
    )
    console.print(comparison(attempts(orders)), soft_wrap=False)


if __name__ == "__main__":
    main()
