"""The table of diagnostic codes: what each means and how to correct it. `docs/errors.md` is made from it."""

from typing import Literal, NamedTuple

Severity = Literal["error", "warning"]


class DiagnosticCode(NamedTuple):
    """A kind of finding."""

    title: str
    why: str
    severity: Severity = "error"


CODES: dict[str, DiagnosticCode] = {
    "TG002": DiagnosticCode(
        "the file is too large",
        "A suite is at most 8 MiB. Split it into several files: a folder of suites runs as one.",
    ),
    "TG003": DiagnosticCode(
        "the file is not UTF-8 text", "Save it as UTF-8. NUL and other control characters are refused."
    ),
    "TG004": DiagnosticCode("the YAML is malformed", "The parser could not go on at this place."),
    "TG005": DiagnosticCode(
        "a bound is broken",
        "A suite holds at most 1,000,000 values (or commas, brackets and line ends), nested at most 64 deep; a number "
        "has at most 300 digits; and of the mistakes in a file the first 1,000 are shown.",
    ),
    "TG006": DiagnosticCode(
        "an alias cannot be expanded",
        "Aliases may repeat at most 100,000 values in all, and none may contain itself.",
    ),
    "TG007": DiagnosticCode("a YAML tag is refused", "Suites are plain data: no tag creates an object."),
    "TG008": DiagnosticCode("a key is given twice", "YAML would silently keep one of the two. Remove one."),
    "TG009": DiagnosticCode(
        "the file is not a suite", "A suite is one YAML document, a mapping with `agents` or `tests`."
    ),
    "TG101": DiagnosticCode("unknown key", "The language is closed: a key that nothing reads is a mistake."),
    "TG102": DiagnosticCode("missing key", "The block cannot mean anything without it."),
    "TG103": DiagnosticCode("wrong type", "The value is of another kind than the key takes."),
    "TG104": DiagnosticCode("unknown target", "No gate and no trace has a value of that name."),
    "TG105": DiagnosticCode("unknown operator", "A matcher is made of the operators of the suite language."),
    "TG106": DiagnosticCode(
        "the operand does not fit", "The operator takes another kind of value, or cannot be asked here."
    ),
    "TG107": DiagnosticCode("out of range", "Percentages are 0..100, a threshold is 0..1, counts start at 1."),
    "TG108": DiagnosticCode(
        "the regular expression cannot be used",
        "It does not compile, or needs lookaround or back-references: patterns run in linear time.",
    ),
    "TG109": DiagnosticCode(
        "the JSON Schema cannot be used", "It is not a valid schema, or refers to another document."
    ),
    "TG110": DiagnosticCode("empty where something is needed", "A check of nothing would always pass."),
    "TG111": DiagnosticCode(
        "text is needed here", "A number, true, false or null stands where text belongs. Quote it."
    ),
    "TG112": DiagnosticCode(
        "a name is used twice", "Servers, agents, tests and the classes of a gate have distinct names."
    ),
    "TG113": DiagnosticCode("two keys exclude each other", "Keep one of them."),
    "TG114": DiagnosticCode(
        "an environment reference is not allowed here",
        "`${env:NAME}` is expanded in a server's env, headers, url and command arguments and in a driver's env alone: "
        "a secret elsewhere would be sent to a model or written into a report.",
    ),
    "TG115": DiagnosticCode(
        "the value is not one of those allowed", "The message lists them, or says what is expected."
    ),
    "TG116": DiagnosticCode(
        "the path leaves its folder",
        "A catalog is named relative to the suite, inside its folder; a server's `cwd` inside the working folder.",
    ),
    "TG117": DiagnosticCode(
        "`after` cannot be met",
        "A class comes after classes of the same gate, and not after one that comes after it.",
    ),
    "TG201": DiagnosticCode("unknown server", "The name is in no `servers:` of this suite."),
    "TG202": DiagnosticCode("a test without a check", "It needs a gate or an `expect:`, or it can only pass."),
    "TG203": DiagnosticCode(
        "two suites have one name", "The name is the folder of a suite's cassettes. Set `suite:` in one."
    ),
    "TG204": DiagnosticCode(
        "the test is not run with that model", "The name is none of the test's models, nor of its agent's."
    ),
    "TG205": DiagnosticCode(
        "a forbidden tool is asked for",
        "The same call would be right for one gate and wrong for the other. `forbidden_tools` of an agent hold for its "
        "tests.",
    ),
    "TG206": DiagnosticCode(
        "a model gets a gate twice, or no check",
        "With `models:` in its gates, a test has each gate at most once for a model, and checks every model.",
    ),
    "TG210": DiagnosticCode(
        "the agent is declared nowhere",
        "Recorded traces can be scored against the test; it cannot be run live.",
        "warning",
    ),
    "TG211": DiagnosticCode(
        "no prompt", "Recorded traces can be scored against the test; it cannot be run live.", "warning"
    ),
    "TG212": DiagnosticCode("no servers", "The agent would see no tools.", "warning"),
    "TG220": DiagnosticCode("a tool is in two classes", "One call to it reaches both classes.", "warning"),
    "TG221": DiagnosticCode(
        "the id names no server of the test",
        "It can match only a tool whose own name has that dot in it.",
        "warning",
    ),
    "TG222": DiagnosticCode(
        "two ids look alike",
        "They differ in case, in invisible characters, in look-alike letters or in how accents are encoded. "
        "Ids are compared exactly.",
        "warning",
    ),
    "TG223": DiagnosticCode(
        "the catalog cannot be read",
        "Runs can be replayed and scored without it; a live run cannot do without.",
        "warning",
    ),
    "TG224": DiagnosticCode(
        "several servers have the tool",
        "A bare id matches on any server: a call to either reaches the class.",
        "warning",
    ),
    "TG225": DiagnosticCode(
        "no catalog lists the tool",
        "The servers of the test have frozen catalogs, and none of them has a tool of that id: no call can match it.",
        "warning",
    ),
    "TG226": DiagnosticCode(
        "more runs are drawn than there are",
        "`pass^K` and `pass@K` draw K of the test's runs; with fewer runs than K the target is absent, and fails.",
        "warning",
    ),
    "TG227": DiagnosticCode(
        "`xfail` on an agent definition",
        "Tests do not inherit it: a test that is known to fail says so itself.",
        "warning",
    ),
}
