"""Decodes the bytes of a suite: UTF-8 with or without a byte order mark."""

import re

# The printable characters of YAML 1.2; the parsers refuse others with a less helpful message.
_ILLEGAL = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_BOM = "\ufeff"


class EncodingError(ValueError):
    """Bytes that are not text; `offset` is that of the first wrong byte."""

    def __init__(self, message: str, offset: int, help_: str = "save the file as UTF-8 text") -> None:
        super().__init__(message)
        self.offset = offset
        self.help = help_


def decode_suite_text(data: bytes) -> str:
    """Return the text of a suite, without its byte order mark; raise `EncodingError` if it is not UTF-8 text."""
    for mark, name in ((b"\xff\xfe", "UTF-16"), (b"\xfe\xff", "UTF-16"), (b"\x00\x00\xfe\xff", "UTF-32")):
        if data.startswith(mark):
            raise EncodingError(f"the file is {name}, not UTF-8 (byte 0)", 0)
    try:
        text = data.decode("utf-8").removeprefix(_BOM)
    except UnicodeDecodeError as error:
        raise EncodingError(f"the file is not UTF-8: byte {error.start} is wrong", error.start) from None
    wrong = _ILLEGAL.search(text)
    if wrong:
        # In bytes, as editors and hex viewers count, with the mark that was removed.
        offset = len(text[: wrong.start()].encode()) + (3 if data.startswith(b"\xef\xbb\xbf") else 0)
        name = "NUL" if wrong[0] == "\0" else f"U+{ord(wrong[0]):04X}"
        message = f"the control character {name} is not allowed (byte {offset})"
        raise EncodingError(message, offset, "remove the character")
    return text
