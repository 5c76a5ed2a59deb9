"""Charts as SVG: equal numbers give equal bytes, the style sheet has the colours, a label says the same in words."""

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from ...gates.grade import LETTERS, letter_grade

_MOST_POINTS = 40
_MOST_LABELS = 8


@dataclass(frozen=True, slots=True)
class ChartSeries:
    """A series of values; None is a gap."""

    name: str
    values: tuple[int | None, ...]


@dataclass(frozen=True, slots=True)
class ChartPoint:
    """A position on the x axis: its label, its tooltip and its link."""

    label: str
    title: str
    href: str | None


def select_drawn_points(count: int, most: int = _MOST_POINTS) -> list[int]:
    """Return the indexes of the points to draw: the first, the last, and evenly spaced ones between them."""
    if count <= most:
        return list(range(count))
    return [index * (count - 1) // (most - 1) for index in range(most)]


def draw_grade_scale(f1: int, previous: int | None) -> Markup:
    """Draw the scale of letters with a mark at this value and one at the previous."""
    bands = [("F", 0, 60), *((letter, floor, min(floor + 10, 100)) for floor, letter in reversed(LETTERS))]
    parts = [
        _draw_scale_band(letter, _compute_scale_x(low), _compute_scale_x(high), letter == letter_grade(f1))
        for letter, low, high in bands
    ]
    cut = Markup('<text class="cut" x="{}" y="54" text-anchor="middle">{}</text>')
    parts += [cut.format(_compute_scale_x(low), low)
              for _, low, _ in bands[1:]]  # fmt: skip
    parts.append(_draw_scale_marks(_compute_scale_x(f1), f1, previous))
    words = f"F1 {f1}, grade {letter_grade(f1)}" + (f"; it was {previous}" if previous is not None else "")
    return _wrap_in_svg("ruler", 480, 60, words, parts)


def draw_sparkline(values: Sequence[int | None]) -> Markup:
    """Draw the last few values as wide as a word."""
    # The axis starts at a multiple of 20, so that it does not move with every commit.
    low = min([60, *(value // 20 * 20 for value in values if value is not None)])
    at = {index: (round(4 + 104 * index / max(len(values) - 1, 1), 1), round(21 - 18 * (value - low) / (100 - low), 1))
          for index, value in enumerate(values) if value is not None}  # fmt: skip
    if not at:
        return Markup("")
    dots = [Markup('<circle cx="{}" cy="{}" r="{}" class="{}"/>').format(x, y, 3 if index == len(values) - 1 else 1.6,
            "last" if index == len(values) - 1 else "") for index, (x, y) in at.items()]  # fmt: skip
    words = f"F1 {', '.join('not measured' if value is None else str(value) for value in values)}"
    return _wrap_in_svg(
        "spark", 112, 24, words, [*_draw_segments(list(at.values()), list(at), "p"), *dots], is_fixed=True
    )


def draw_trend(lines: Sequence[ChartSeries], points: Sequence[ChartPoint], *, narrow: bool = False) -> Markup:
    """Draw lines over bands of grades; the first line is the main one."""
    # On a narrow screen, more points or lines could not be told apart.
    chosen = select_drawn_points(len(points), 6 if narrow else _MOST_POINTS)
    lines = [
        ChartSeries(line.name, tuple(line.values[index] for index in chosen)) for line in lines[: 1 if narrow else None]
    ]
    points = [points[index] for index in chosen]
    plot = _TrendPlot(lines, len(points), narrow)
    parts = [*plot.draw_bands(), *plot.draw_curves(lines), *plot.draw_links(lines[0], points), *plot.draw_labels(lines)]
    return _wrap_in_svg(
        f"trend {'narrow' if narrow else 'wide'}", plot.width, plot.height, _describe_trend(lines, points), parts
    )


class _TrendPlot:
    """The coordinates of the trend."""

    def __init__(self, lines: Sequence[ChartSeries], count: int, narrow: bool) -> None:
        lowest = min((value for line in lines for value in line.values if value is not None), default=60)
        self.low = min(60, lowest // 20 * 20)
        self.count = count
        self.width, self.height = (340, 220) if narrow else (900, 296)
        self.left, self.right = (34, 304) if narrow else (46, 758)
        self.top, self.bottom = 14, self.height - 40
        self.inset = 26 if narrow else 46
        self.narrow = narrow

    def compute_x(self, index: int) -> float:
        """Return the x coordinate of a point."""
        # A single commit stands in the middle.
        if self.count == 1:
            return (self.left + self.right) / 2
        span = self.right - self.left - 2 * self.inset
        return round(self.left + self.inset + span * index / (self.count - 1), 1)

    def compute_y(self, value: int) -> float:
        """Return the y coordinate of a percentage."""
        return round(self.bottom - (self.bottom - self.top) * (value - self.low) / (100 - self.low), 1)

    def draw_bands(self) -> list[Markup]:
        """Draw the bands of grades and the ticks of the y axis."""
        parts: list[Markup] = []
        for letter, floor, top in [*((letter, floor, min(floor + 10, 100)) for floor, letter in LETTERS), ("F", 0, 60)]:
            # Bands below the axis are not drawn.
            if top > self.low:
                parts.append(self._draw_band(letter, max(floor, self.low), top))
        return [*parts, self._draw_tick(100), *(self._draw_tick(floor) for floor, _ in LETTERS),
                *([self._draw_tick(self.low)] if self.low < 60 else [])]  # fmt: skip

    def _draw_band(self, letter: str, floor: int, top: int) -> Markup:
        text = Markup(
            '<rect class="band g-{0}" x="{1}" y="{2}" width="{3}" height="{4}"/>'
            '<text class="bl g-{0}" x="{5}" y="{6}">{0}</text>'
        )
        y, height = self.compute_y(top), round(self.compute_y(floor) - self.compute_y(top), 1)
        return text.format(
            letter, self.left, y, self.right - self.left, height, self.left + 8, round(y + height / 2 + 5, 1)
        )

    def _draw_tick(self, value: int) -> Markup:
        text = Markup('<line class="gl" x1="{0}" x2="{1}" y1="{2}" y2="{2}"/>'
                      '<text x="{3}" y="{4}" text-anchor="end">{5}</text>')  # fmt: skip
        y = self.compute_y(value)
        return text.format(self.left, self.right, y, self.left - 7, round(y + 4, 1), value)

    def draw_curves(self, lines: Sequence[ChartSeries]) -> list[Markup]:
        """Draw the lines, the main one last and so above the others."""
        parts: list[Markup] = []
        # SVG paints in document order, so the main line goes last.
        for order, line in reversed(list(enumerate(lines))):
            known = [index for index, value in enumerate(line.values) if value is not None]
            places = [
                (self.compute_x(index), self.compute_y(value))
                for index, value in enumerate(line.values)
                if value is not None
            ]
            parts += _draw_segments(places, known, f"s s{min(order, 4)}")
        return parts

    def draw_links(self, line: ChartSeries, points: Sequence[ChartPoint]) -> list[Markup]:
        """Draw a dot, a label and a link for each point of the main line."""
        labelled = set(select_drawn_points(self.count, 5 if self.narrow else _MOST_LABELS))
        is_dense = self.count > 16
        parts: list[Markup] = []
        for index, (point, value) in enumerate(zip(points, line.values, strict=True)):
            is_last = index == self.count - 1
            body = [Markup("<title>{}</title>").format(point.title)]
            if not self.narrow:
                body.append(self._draw_hit_area(index))
            if value is not None:
                radius = 6.5 if is_last else 2.6 if is_dense else 4.5
                dot = Markup('<circle cx="{}" cy="{}" r="{}"/>')
                body.append(dot.format(self.compute_x(index), self.compute_y(value), radius))
            if index in labelled:
                label = Markup('<text x="{}" y="{}" text-anchor="middle">{}</text>')
                body.append(
                    label.format(self.compute_x(index), self.height - 14, point.label[: 4 if self.narrow else 9])
                )
            parts.append(_wrap_in_link(point.href, "me" if is_last else "pt", body))
        return parts

    def _draw_hit_area(self, index: int) -> Markup:
        step = (self.right - self.left - 2 * self.inset) / max(self.count - 1, 1)
        # Neighbouring areas touch and do not overlap, so the pointer is always over one commit.
        width = round(min(step, 2 * self.inset), 1)
        text = Markup('<rect class="hit" x="{}" y="{}" width="{}" height="{}"/>')
        return text.format(round(self.compute_x(index) - width / 2, 1), self.top, width, self.height - self.top)

    def draw_labels(self, lines: Sequence[ChartSeries]) -> list[Markup]:
        """Draw the last values beside the plot, moved apart if they would overlap."""
        values = [(line.values[-1], order, line) for order, line in enumerate(lines)]
        ends = sorted(
            ((self.compute_y(value), order, line) for value, order, line in values if value is not None),
            key=_get_label_order,
        )
        placed = _move_labels_apart([y for y, _, _ in ends], 17, self.bottom)
        text = Markup('<text class="el s{}" x="{}" y="{}">{}<tspan>{}</tspan></text>')
        return [
            text.format(min(order, 4), self.right + 10, round(y + 4, 1), "" if self.narrow else f"{line.name[:16]} ",
                        line.values[-1])
            for y, (_, order, line) in zip(placed, ends, strict=True)
        ]  # fmt: skip


def _get_label_order(end: tuple[float, int, ChartSeries]) -> tuple[float, int]:
    return end[0], end[1]


def _move_labels_apart(places: list[float], least: float, bottom: float) -> list[float]:
    found: list[float] = []
    for place in places:
        found.append(max(place, found[-1] + least) if found else place)
    # If the last label would leave the plot, all of them move up.
    over = max(0.0, found[-1] - bottom) if found else 0
    return [place - over for place in found]


def _draw_segments(places: list[tuple[float, float]], indexes: list[int], kind: str) -> list[Markup]:
    """Draw a line between neighbouring values, dotted across a gap."""
    parts: list[Markup] = []
    for start in range(len(places) - 1):
        is_gap = indexes[start + 1] - indexes[start] > 1
        (x1, y1), (x2, y2) = places[start], places[start + 1]
        text = Markup('<line class="{}{}" x1="{}" y1="{}" x2="{}" y2="{}"/>')
        parts.append(text.format(kind, " gap" if is_gap else "", x1, y1, x2, y2))
    return parts


def _draw_scale_band(letter: str, left: float, right: float, is_on: bool) -> Markup:
    text = Markup(
        '<g class="z g-{0}{1}"><rect x="{2}" y="27" width="{3}" height="11" rx="1.5"/>'
        '<text x="{4}" y="54" text-anchor="middle">{0}</text></g>'
    )
    width = round(right - left - 1.4, 1)
    return text.format(letter, " on" if is_on else "", round(left + 0.7, 1), width, round((left + right) / 2, 1))


def _draw_scale_marks(x: float, f1: int, previous: int | None) -> Markup:
    mark = Markup('<line class="mark" x1="{0}" x2="{0}" y1="20" y2="42"/><text class="vl" x="{1}" y="14" '
                  'text-anchor="middle">{2}</text>').format(x, min(max(x, 10), 470), f1)  # fmt: skip
    if previous is None or previous == f1:
        return mark
    was = _compute_scale_x(previous)
    # The two numbers stay 38 units apart, and inside the drawing.
    label = min(max(was, x + 38) if was > x else min(was, x - 38), 460)
    return Markup(
        '<line class="link" x1="{0}" x2="{1}" y1="23" y2="23"/><line class="prev" x1="{1}" x2="{1}" y1="20" y2="41"/>'
        '<text class="pl" x="{2}" y="14" text-anchor="middle">was {3}</text>{4}'
    ).format(x, was, max(label, 18), previous, mark)


def _compute_scale_x(value: int) -> float:
    """Return the x coordinate on the scale, on which A to D have the width of F although they span 10 points."""
    return round(value * 1.6 if value <= 60 else 96 + (value - 60) * 9.6, 1)


def _wrap_in_link(href: str | None, kind: str, body: Sequence[Markup]) -> Markup:
    inner = Markup("").join(body)
    if href is None:
        return Markup('<g class="{}">{}</g>').format(kind, inner)
    return Markup('<a class="{}" href="{}">{}</a>').format(kind, href, inner)


def _describe_trend(lines: Sequence[ChartSeries], points: Sequence[ChartPoint]) -> str:
    values = lines[0].values
    told = [f"{point.label} {'not measured' if value is None else value}"
            for point, value in zip(points, values, strict=True)]  # fmt: skip
    return f"{lines[0].name} by commit: {', '.join(told)}"


def _wrap_in_svg(
    kind: str, width: int, height: int, words: str, parts: Sequence[Markup], *, is_fixed: bool = False
) -> Markup:
    # `role="img"` would hide the links inside from screen readers.
    has_links = kind.startswith("trend")
    size = Markup(' width="{}" height="{}"').format(width, height) if is_fixed else Markup("")
    return Markup('<svg class="{}" viewBox="0 0 {} {}"{} role="{}" aria-label="{}">{}</svg>').format(
        kind, width, height, size, "group" if has_links else "img", words, Markup("").join(parts)
    )
