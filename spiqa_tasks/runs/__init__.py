"""Existing answers as runs: paths -> readers by content -> runs -> join with the questions ->
scored runs -> writer.
"""
