"""Compiles YAML text into a frozen plan, or into diagnostics. Everything here is pure."""
