"""Answers that exist: every form of them becomes a list of `Run`, of which analyses and report are functions."""
