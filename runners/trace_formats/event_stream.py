"""The input of a reader: the records of one file, and the count of those it did not know."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

import msgspec

from ...foundations.fault import BadInput
from .records import Record
from .shape import Shape

_Decoded = TypeVar("_Decoded")

CheckForeign = Callable[[Shape], str | None]
"""Gives the name of another format that an unknown record belongs to, if it does."""


class EventStream:
    """The records of one file. Unknown ones are counted; one that is plainly of another format is an error."""

    def __init__(self, records: Iterable[Record], check_foreign: CheckForeign) -> None:
        self._records = records
        self._check_foreign = check_foreign
        self.skipped: Counter[str] = Counter()

    def __iter__(self) -> Iterator[Record]:
        return iter(self._records)

    def skip(self, record: Record, kind: str | None) -> None:
        """Count a record that this reader does not know; raise `BadInput` if it belongs to another format."""
        # Only what is unknown is held against all other formats: what this reader knows is taken as its own.
        other = self._check_foreign(Shape(record.data))
        if other is not None:
            raise BadInput(
                f"{record.place}: this is {other}, and the file began as another format",
                "put the traces into files of their own",
            )
        self.skipped[kind or "no type"] += 1


def decode_record(decoder: "msgspec.json.Decoder[_Decoded]", record: Record) -> _Decoded:
    """Return a record as its type; raise `BadInput` with file and line if its shape is another."""
    return decode_part(decoder, record.data, record)


def decode_part(decoder: "msgspec.json.Decoder[_Decoded]", data: bytes | msgspec.Raw | str, record: Record) -> _Decoded:
    """Return a part of a record as its type; raise `BadInput` with the record's place if its shape is another."""
    try:
        return decoder.decode(data)
    except RecursionError:
        raise BadInput(f"{record.place}: nested too deeply") from None
    except msgspec.DecodeError as error:
        problem = str(error)
        raise BadInput(f"{record.place}: {problem[:1].lower()}{problem[1:]}") from None
