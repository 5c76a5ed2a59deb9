"""Agents: the protocol that one follows, and the lexical baseline."""
