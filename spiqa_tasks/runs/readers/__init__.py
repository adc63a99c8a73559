"""Readers of the forms that answers come in, one module each."""
