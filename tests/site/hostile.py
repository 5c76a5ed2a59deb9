"""Forty texts that would like to be more than text, and reports that have them wherever text comes from outside."""

import re
from typing import Any, cast

import msgspec

from toolgrade.foundations.canonical_json import to_json
from toolgrade.site.report.report_file import read_report
from toolgrade.site.report.report_model import Report

PAYLOADS = (
    "<script>window.pwned=1</script>",
    "</script><script>window.pwned=1</script>",
    "<img src=x onerror=window.pwned=1>",
    "\"><img src=x onerror='window.pwned=1'>",
    "' autofocus onfocus=window.pwned=1 x='",
    "</td></tr></table><h1>broken",
    "</title><script>window.pwned=1</script>",
    "javascript:window.pwned=1",
    "data:text/html,<script>window.pwned=1</script>",
    "<a href=javascript:window.pwned=1>click</a>",
    "<iframe srcdoc='<script>parent.pwned=1</script>'></iframe>",
    "<svg onload=window.pwned=1></svg>",
    "<svg><script>window.pwned=1</script></svg>",
    "<math><mtext><img src=x onerror=window.pwned=1>",
    "<body onload=window.pwned=1>",
    "<style>*{display:none}</style>",
    "<link rel=stylesheet href=http://192.0.2.1/x.css>",
    "<meta http-equiv=refresh content='0; url=http://192.0.2.1/'>",
    "<base href=http://192.0.2.1/>",
    "<object data=http://192.0.2.1/x></object>",
    "![x](http://192.0.2.1/x.png)",
    "[click](javascript:window.pwned=1)",
    "<http://192.0.2.1/>",
    "{{ 7 * 7 }}",
    "{% for x in range(3) %}{{ x }}{% endfor %}",
    "{# comment #}",
    "{{ config.__class__.__mro__ }}",
    "| a | b |\n|---|---|\n| c | d |",
    "`code` ``` fence",
    "---\ntitle: front matter\n---",
    "[TOC]",
    '--8<-- "/etc/passwd"',
    "footnote[^1]\n\n[^1]: note",
    "&lt;script&gt; &amp; &#60;",
    "\u202ereversed\u202c \u200bzero\u200b",
    "\u2028window.pwned=1\u2029",
    "]]><!--",
    "--><script>window.pwned=1</script><!--",
    "*/window.pwned=1;/*",
    "\\u003cscript\\u003e \\",
)
_KEPT = {
    "schema",
    "mode",
    "pass_k",
    "plan",
    "status",
    "outcome",
    "gate",
    "grade",
    "fingerprint",
    "target",
    "matcher",
    "cost",
}
_HIDDEN = re.compile("[\u200b-\u200f\u2028-\u202e]")


def poisoned(report: Report, payload: str) -> Report:
    """The report with a text before every other text that comes from outside."""
    value = msgspec.json.decode(to_json(report))
    return read_report(to_json(_poison(value, payload)))


def literal(payload: str) -> str:
    """The text as a page shows it."""
    return _HIDDEN.sub(lambda match: f"\\u{ord(match[0]):04x}", payload)


def _poison(value: Any, payload: str) -> Any:
    if isinstance(value, str):
        return f"{payload}{value}"
    if isinstance(value, list):
        return [_poison(item, payload) for item in cast(list[Any], value)]
    if isinstance(value, dict):
        return {key: _field(key, item, payload) for key, item in cast(dict[str, Any], value).items()}
    return value


def _field(key: str, item: Any, payload: str) -> Any:
    if key in _KEPT or key in ("values", "counts"):
        return item
    if key == "matched_by":
        return {f"{payload}{tool}": runs for tool, runs in item.items()}
    return _poison(item, payload)
