"""Charts: the same numbers give the same bytes, gaps stay gaps, many commits are thinned, and each has words."""

from xml.etree import ElementTree

import pytest

from toolgrade.site.pages.charts import (
    ChartPoint,
    ChartSeries,
    draw_grade_scale,
    draw_sparkline,
    draw_trend,
    select_drawn_points,
)


def points(count: int) -> list[ChartPoint]:
    return [ChartPoint(f"{index:07}", f"commit {index} <&>", f"c/{index}/index.html") for index in range(count)]


def parsed(svg: str) -> ElementTree.Element:
    return ElementTree.fromstring(svg)


@pytest.mark.parametrize("count", [1, 2, 40, 41, 500, 5000])
def test_thinning_keeps_the_ends_and_an_order(count: int) -> None:
    chosen = select_drawn_points(count)
    assert (chosen[0], chosen[-1]) == (0, count - 1)
    assert len(chosen) == len(set(chosen)) == min(count, 40)
    assert chosen == sorted(chosen)


def test_a_trend_of_many_commits_is_no_larger_than_one_of_forty() -> None:
    sizes = [len(draw_trend([ChartSeries("F1", (80,) * count)], points(count))) for count in (40, 500)]
    assert sizes[1] < 1.2 * sizes[0]


def test_what_was_not_measured_is_a_gap_and_never_a_zero() -> None:
    svg = draw_trend([ChartSeries("F1", (90, None, 80))], points(3))
    assert len(parsed(svg).findall(".//a/circle")) == 2
    assert [line.get("class") for line in parsed(svg).findall("line") if "s0" in str(line.get("class"))] == ["s s0 gap"]
    assert "0000001 not measured" in str(parsed(svg).get("aria-label"))


@pytest.mark.parametrize("f1", [0, 1, 59, 60, 86, 99, 100])
@pytest.mark.parametrize("previous", [None, 0, 60, 87, 100])
def test_the_ruler_stays_within_its_bounds_and_says_the_grade(f1: int, previous: int | None) -> None:
    svg = parsed(draw_grade_scale(f1, previous))
    places = [float(str(element.get("x"))) for element in svg.iter("text")]
    assert all(0 <= place <= 480 for place in places)
    assert f"F1 {f1}, grade" in str(svg.get("aria-label"))
    assert len([group for group in svg.iter("g") if str(group.get("class")).endswith(" on")]) == 1


def test_a_sparkline_of_nothing_is_nothing() -> None:
    assert draw_sparkline([None, None]) == ""
    assert parsed(draw_sparkline([None, 70, 100])).get("aria-label") == "F1 not measured, 70, 100"


def test_titles_from_outside_are_escaped() -> None:
    svg = parsed(draw_trend([ChartSeries("F1", (90, 80))], points(2)))
    assert [title.text for title in svg.iter("title")] == ["commit 0 <&>", "commit 1 <&>"]
