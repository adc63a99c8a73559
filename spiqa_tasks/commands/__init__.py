"""The subcommands, one module each.

`add` adds its arguments to a parser; `run` does what the parsed ones ask for and returns the
exit status. It raises SpiqaTasksError where the arguments or what they name cannot be used.
"""
