"""Scores traces. Everything here is pure: no clock, no files, no network."""
