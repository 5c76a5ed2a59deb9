"""The rows of the acceptance table and the tests that assert them; run as a program, it updates the page."""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs/reliability.md"
BEGIN, END = "<!-- faults: begin -->\n", "<!-- faults: end -->\n"

TORTURE = "tests/torture"
ROWS: dict[str, tuple[str, tuple[str, ...]]] = {
    "I19": ("mutated suites", (f"{TORTURE}/test_fuzz.py::test_no_mutated_file_makes_a_reader_fail",)),
    "S11": ("odd schemas", (f"{TORTURE}/test_listings.py::test_every_odd_listing_is_read_or_refused",)),
    "S17": (
        "deep nesting",
        (
            f"{TORTURE}/test_listings.py::test_every_odd_listing_is_read_or_refused",
            f"{TORTURE}/test_servers.py::test_an_answer_that_cannot_be_read_is_an_error_at_once",
        ),
    ),
    "S18": ("odd cursors", (f"{TORTURE}/test_servers.py::test_a_cursor_that_is_none_is_the_fault_of_its_server",)),
    "S19": (
        "compressed answers",
        (
            f"{TORTURE}/test_servers.py::test_a_compressed_answer_is_refused_unread",
            f"{TORTURE}/test_providers.py::test_a_compressed_answer_of_a_provider_is_refused_unread",
        ),
    ),
    "P02": (
        "a stream that is cut",
        (
            "tests/runners/models/test_conversation.py"
            "::test_a_stream_cut_inside_a_call_is_a_malformed_call_with_what_came",
        ),
    ),
    "P08": ("malformed streams", (f"{TORTURE}/test_providers.py::test_every_malformed_reply_is_a_turn_or_a_fault",)),
    "P09": (
        "usage that is no count",
        (f"{TORTURE}/test_providers.py::test_usage_that_is_no_count_is_absent_with_a_warning",),
    ),
    "P10": (
        "a stream without its end",
        (
            f"{TORTURE}/test_providers.py"
            "::test_a_stream_without_its_stop_event_has_a_malformed_call_that_is_not_carried_out",
            f"{TORTURE}/test_providers.py"
            "::test_an_answer_that_ends_before_a_call_and_without_its_stop_event_is_no_answer",
        ),
    ),
    "C12": ("planted secrets", ("tests/toolgrade/test_canaries.py::test_no_secret_is_in_any_file_or_stream",)),
    "C16": (
        "resume on a failing disk",
        ("tests/runners/test_journal.py::test_a_resume_on_a_failing_disk_keeps_every_finished_cell",),
    ),
    "C17": (
        "SIGKILL of toolgrade",
        ("tests/runners/servers/test_watchdog.py::test_no_server_is_alive_five_seconds_after_toolgrade_was_killed",),
    ),
    "R11": (
        "git that does not answer",
        (
            f"{TORTURE}/test_git.py::test_a_damaged_repository_changes_nothing_that_is_published",
            f"{TORTURE}/test_git.py::test_a_git_that_refuses_changes_nothing_that_is_published",
            f"{TORTURE}/test_git.py::test_a_git_that_says_nothing_changes_nothing_that_is_published",
        ),
    ),
    "R12": (
        "reports that contradict themselves",
        ("tests/site/report/test_report_consistency.py::test_every_figure_that_is_changed_is_found",),
    ),
    "M06": (
        "secrets of live servers",
        ("tests/toolgrade/test_secret_roads.py::test_no_command_that_starts_a_server_lets_its_secrets_out",),
    ),
    "M07": (
        "spellings of secrets",
        (
            "tests/foundations/test_known_secrets.py::test_every_spelling_is_found_and_replaced",
            "tests/foundations/test_known_secrets.py::test_a_secret_over_two_content_blocks_is_taken_out_of_both",
            "tests/foundations/test_known_secrets.py::test_a_private_key_is_taken_out_over_lines_cuts_and_blocks",
        ),
    ),
    "M08": ("modules in a checkout", ("tests/action/test_action.py::test_no_module_of_the_checkout_is_imported",)),
}
OPEN: dict[str, str] = {
    "S20": "expired and self-signed certificates and slow bodies have no test yet",
    "C18": "what a failed attempt spent counts against the budget, and is not yet in the report's cost",
    "M09": "tokens on a command line are never printed whole; a warning at the suite's line is not there yet",
}


def render_table() -> str:
    """Return the table as it stands on the page."""
    lines = ["| row | what | asserted by |", "|---|---|---|"]
    for row, (what, tests) in ROWS.items():
        names = "<br>".join(f"`{test.rpartition('::')[2]}`" for test in tests)
        lines.append(f"| {row} | {what} | {names} |")
    lines += [f"| {row} | open | {why} |" for row, why in OPEN.items()]
    return "\n".join(lines) + "\n"


def update_page(page: str) -> str:
    """Return the page with the table of now between its marks."""
    return re.sub(f"(?s){BEGIN}.*{END}", lambda _: BEGIN + render_table() + END, page)


if __name__ == "__main__":
    PAGE.write_text(update_page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    sys.stdout.write(f"wrote {PAGE.relative_to(ROOT)}\n")
