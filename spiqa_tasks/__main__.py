"""`python -m spiqa_tasks` is the `spiqa-tasks` command."""

import sys

from spiqa_tasks.cli import main

if __name__ == "__main__":
    sys.exit(main())
