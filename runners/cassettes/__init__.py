"""Cassettes: recording runs in files, redacting them, locking them, and refusing those that no longer fit."""
