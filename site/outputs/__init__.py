"""A finished run for CI and for people: JUnit, Markdown, GitHub annotations, one line of text."""
