"""Badges: a small SVG, and the JSON from which shields.io makes the same badge."""

from markupsafe import Markup

from ...foundations.canonical_json import to_json
from ...foundations.untrusted_text import make_visible
from ..history.commit_summary import GradedScore

_COLOURS = {"A": "#0a6b4f", "B": "#456a0d", "C": "#7a5800", "D": "#9a4306", "F": "#a61b1b"}
_NONE = "#626b7e"
_SVG = Markup("""\
<svg xmlns="http://www.w3.org/2000/svg" width="{total}" height="20" role="img" aria-label="{label}: {value}">
<title>{label}: {value}</title>
<clipPath id="r"><rect width="{total}" height="20" rx="4"/></clipPath>
<g clip-path="url(#r)"><rect width="{left}" height="20" fill="#2b3040"/><rect x="{left}" width="{right}" height="20" \
fill="{colour}"/></g>
<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">
<text x="7" y="14" textLength="{label_width}" lengthAdjust="spacingAndGlyphs">{label}</text>
<text x="{value_x}" y="14" font-weight="700" textLength="{value_width}" lengthAdjust="spacingAndGlyphs">{value}</text>
</g>
</svg>
""")
_LONGEST = 40


def render_badge_svg(label: str, score: GradedScore | None) -> bytes:
    """Return the badge of a suite or of the whole site."""
    label, value = make_visible(label)[:_LONGEST], _format_badge_value(score)
    label_width, value_width = _estimate_text_width(label), _estimate_text_width(value)
    left, right = label_width + 14, value_width + 14
    return _SVG.format(
        label=label, value=value, total=left + right, left=left, right=right, label_width=label_width,
        value_width=value_width, value_x=left + 7, colour=_COLOURS.get(score.grade if score else "", _NONE),
    ).encode()  # fmt: skip


def render_badge_json(label: str, score: GradedScore | None) -> bytes:
    """Return the data for `https://img.shields.io/endpoint?url=…`."""
    colour = _COLOURS.get(score.grade if score else "", _NONE).removeprefix("#")
    return to_json(
        {
            "schemaVersion": 1,
            "label": make_visible(label)[:_LONGEST],
            "message": _format_badge_value(score),
            "color": colour,
        }
    )


def _format_badge_value(score: GradedScore | None) -> str:
    return f"{score.grade} {score.f1}" if score else "not graded"


def _estimate_text_width(text: str) -> int:
    """Estimate the width of the letters; `textLength` in the SVG then makes them fit."""
    return sum(4 if char in "il.,:;'| " else 11 if char in "mwMW@" or ord(char) > 0x2E7F else 7 for char in text)
