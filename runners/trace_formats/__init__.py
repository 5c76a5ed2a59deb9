"""Traces that other programs wrote: one module a format, one row in the registry, one record that all of them give."""
