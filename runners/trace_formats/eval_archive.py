"""The `.eval` files of Inspect: a zip of JSON parts, of which the samples are the runs."""

import zipfile
from collections.abc import Iterator
from typing import IO

import msgspec

from ...foundations.fault import BadInput
from .records import MAX_DOCUMENT_BYTES, Record

_MAGIC = b"PK\x03\x04"
# The number of zstd in the zip format.
_ZSTD = 93
_SAMPLES = "samples/"
_RAW = msgspec.json.Decoder(msgspec.Raw)
_HELP = "write it as JSON: inspect log dump FILE.eval > log.json; or: pip install toolgrade[traces]"


def is_archive(stream: IO[bytes]) -> bool:
    """Return whether a stream that can be looked ahead in is a zip; it stays where it is."""
    peek = getattr(stream, "peek", None)
    return peek is not None and bytes(peek(len(_MAGIC)))[: len(_MAGIC)] == _MAGIC


def read_archive(file: str, stream: IO[bytes]) -> Iterator[Record]:
    """Yield the samples of an archive; raise `BadInput` if it is damaged, too large or packed in an unknown way."""
    try:
        with zipfile.ZipFile(stream) as archive:
            parts = [part for part in archive.infolist() if part.filename.startswith(_SAMPLES)]
            for number, part in enumerate(parts, 1):
                # Before it is unpacked: a few kilobytes of a zip may hold gigabytes.
                if part.file_size > MAX_DOCUMENT_BYTES:
                    raise BadInput(f"{file}: {part.filename} has more than {MAX_DOCUMENT_BYTES:,} bytes")
                yield Record(file, number, number, _RAW.decode(_unpack(file, archive, part)))
    except (zipfile.BadZipFile, OSError, ValueError, EOFError) as error:
        raise BadInput(f"{file}: the archive is damaged: {error}") from None


def _unpack(file: str, archive: zipfile.ZipFile, part: zipfile.ZipInfo) -> bytes:
    if part.compress_type != _ZSTD:
        try:
            return archive.read(part)
        except NotImplementedError as error:
            raise BadInput(f"{file}: {part.filename}: {error}", _HELP) from None
    return _unpack_zstd(file, archive, part)


def _unpack_zstd(file: str, archive: zipfile.ZipFile, part: zipfile.ZipInfo) -> bytes:
    """Return a part packed with zstd, which zipfile itself knows only from Python 3.14 on."""
    try:
        import zstandard
    except ImportError:
        raise BadInput(f"{file}: it is packed with zstd, which needs a library here", _HELP) from None
    packed = _packed_bytes(archive, part)
    try:
        return zstandard.ZstdDecompressor().decompress(packed, max_output_size=part.file_size)
    except zstandard.ZstdError as error:
        raise BadInput(f"{file}: {part.filename} is damaged: {error}") from None


def _packed_bytes(archive: zipfile.ZipFile, part: zipfile.ZipInfo) -> bytes:
    """Return the packed bytes of a part: they follow its local header of 30 bytes, name and extra field."""
    stream = archive.fp
    assert stream is not None
    stream.seek(part.header_offset)
    header = stream.read(30)
    # The lengths of the local header: its extra field may differ from that in the archive's directory.
    names = int.from_bytes(header[26:28], "little") + int.from_bytes(header[28:30], "little")
    stream.seek(names, 1)
    return stream.read(part.compress_size)
