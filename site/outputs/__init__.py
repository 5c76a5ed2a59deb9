"""A finished run for CI and for people: JUnit, Markdown, annotations, text."""
