"""Where a store keeps its files: a local directory, or what fsspec reaches.

Both can create a file that was not there, read parts of it, list and delete.
Names are a store's own; nobody else's text becomes part of a path.
"""

from __future__ import annotations

import contextlib
import datetime
import os
import secrets
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, Protocol

__all__ = ["File", "Files", "NewFile", "open_files"]

NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0)
BINARY = getattr(os, "O_BINARY", 0)
PART = ".part"


class File(NamedTuple):
    """A file of a directory: `modified` in seconds since 1970, None if unknown."""

    name: str
    size: int
    modified: float | None


class NewFile(Protocol):
    """A file that is being written."""

    def write(self, data: bytes | bytearray) -> object:
        """Add bytes."""

    def commit(self) -> None:
        """Have all of it safely kept."""

    def abort(self) -> None:
        """Have nothing of it."""


class Files(Protocol):
    """A directory of files."""

    def create(self, name: str) -> NewFile:
        """Begin a file.

        Raises:
            FileExistsError: There is one of this name.
        """

    def put(self, name: str, data: bytes) -> None:
        """Have a file appear with all of its content."""

    def read(self, name: str, start: int, end: int) -> bytes:
        """Read some bytes of a file; fewer at its end.

        Raises:
            FileNotFoundError: There is none of this name.
        """

    def list(self) -> Iterator[File]:
        """List what is there."""

    def delete(self, name: str) -> None:
        """Delete a file, if it is there."""


def open_files(
    url: str | os.PathLike[str], namespace: str, options: Mapping[str, Any]
) -> Files:
    """Open a directory in which a namespace has its files.

    Args:
        url: A local directory, or a URL that fsspec understands.
        namespace: The name of a directory in it.
        options: Storage options for fsspec.

    Raises:
        ImportError: A URL needs fsspec, or what fsspec needs for it.
    """
    text = os.fspath(url)
    if "://" not in text:
        return _LocalFiles(Path(text) / namespace)
    if text.startswith("file://"):
        return _LocalFiles(Path(text.removeprefix("file://")) / namespace)
    try:
        from fsspec.core import url_to_fs
    except ImportError as error:
        raise ImportError(
            f'{text} is reached by fsspec: pip install "streamclip[store]"'
        ) from error
    filesystem, path = url_to_fs(text, **options)
    return _RemoteFiles(filesystem, f"{path.rstrip('/')}/{namespace}")


class _LocalFiles:
    """A directory that only its owner can enter."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def create(self, name: str) -> NewFile:
        self._path.mkdir(mode=0o700, parents=True, exist_ok=True)
        return _LocalFile(self._path / name)

    def put(self, name: str, data: bytes) -> None:
        part = self._path / f"{name}.{secrets.token_hex(4)}{PART}"
        file = None
        try:
            file = _LocalFile(part)
            file.write(data)
            file.commit()
            part.replace(self._path / name)
        except BaseException:
            if file is not None:
                file.abort()
            part.unlink(missing_ok=True)
            raise
        _sync_directory(self._path)

    def read(self, name: str, start: int, end: int) -> bytes:
        descriptor = os.open(self._path / name, os.O_RDONLY | NO_FOLLOW | BINARY)
        with open(descriptor, "rb", buffering=0) as file:  # noqa: PTH123 # an fd
            file.seek(start)
            return file.read(end - start)

    def list(self) -> Iterator[File]:
        try:
            entries = os.scandir(self._path)
        except FileNotFoundError:
            return
        with entries:
            for entry in entries:
                with contextlib.suppress(FileNotFoundError):
                    status = entry.stat(follow_symlinks=False)
                    yield File(entry.name, status.st_size, status.st_mtime)

    def delete(self, name: str) -> None:
        (self._path / name).unlink(missing_ok=True)


class _LocalFile:
    def __init__(self, path: Path) -> None:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | NO_FOLLOW | BINARY
        self._path = path
        self._file: BinaryIO = os.fdopen(os.open(path, flags, 0o600), "wb")

    def write(self, data: bytes | bytearray) -> object:
        return self._file.write(data)

    def commit(self) -> None:
        with self._file:
            self._file.flush()
            os.fsync(self._file.fileno())

    def abort(self) -> None:
        # A full disk refuses the last bytes once more.
        with contextlib.suppress(OSError):
            self._file.close()
        self._path.unlink(missing_ok=True)


def _sync_directory(path: Path) -> None:
    """Have the names in a directory survive a loss of power, where that is known."""
    if os.name != "posix":
        return
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


class _RemoteFiles:
    """A directory of a filesystem of fsspec."""

    def __init__(self, filesystem: Any, path: str) -> None:
        self._filesystem = filesystem
        self._path = path
        self._made = False

    def create(self, name: str) -> NewFile:
        path = f"{self._path}/{name}"
        if not self._made:
            self._filesystem.makedirs(self._path, exist_ok=True)
            self._made = True
        if self._filesystem.exists(path):
            raise FileExistsError(path)
        return _RemoteFile(self._filesystem, path)

    def put(self, name: str, data: bytes) -> None:
        self._filesystem.pipe_file(f"{self._path}/{name}", data)

    def read(self, name: str, start: int, end: int) -> bytes:
        # Past the end some filesystems fail, and an empty range is none.
        path = f"{self._path}/{name}"
        return bytes(self._filesystem.cat_file(path, start=start, end=end))

    def list(self) -> Iterator[File]:
        self._filesystem.invalidate_cache()
        try:
            entries = self._filesystem.ls(self._path, detail=True)
        except FileNotFoundError:
            return
        for entry in entries:
            name = entry["name"].rpartition("/")[2]
            yield File(name, entry.get("size") or 0, _modified(entry))

    def delete(self, name: str) -> None:
        with contextlib.suppress(FileNotFoundError):
            self._filesystem.rm_file(f"{self._path}/{name}")


class _RemoteFile:
    def __init__(self, filesystem: Any, path: str) -> None:
        self._filesystem = filesystem
        self._path = path
        self._file = filesystem.open(path, "wb")

    def write(self, data: bytes | bytearray) -> object:
        return self._file.write(bytes(data))

    def commit(self) -> None:
        self._file.close()

    def abort(self) -> None:
        # What goes wrong here is of as many kinds as there are filesystems.
        with contextlib.suppress(Exception):
            self._file.discard()
        with contextlib.suppress(Exception):
            self._file.closed = True  # or it would upload the rest when collected
        with contextlib.suppress(Exception):
            self._filesystem.rm_file(self._path)


def _modified(entry: Mapping[str, Any]) -> float | None:
    """Read the time of an entry, which each filesystem names in its own way."""
    for key in ("mtime", "LastModified", "updated", "created"):
        value = entry.get(key)
        if isinstance(value, (int, float)):
            return float(value)
        if isinstance(value, datetime.datetime):
            return value.timestamp()
    return None
