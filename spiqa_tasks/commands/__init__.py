"""One module per subcommand: `add` its arguments to the parser, `run` it and return the exit status."""
