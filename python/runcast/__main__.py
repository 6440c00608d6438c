"""`python -m runcast` is the program."""

import os
import sys

from ._program import find, places


def main() -> None:
    """Becomes the program."""
    program = find()
    if program is None:
        print("error: the program runcast is not installed; looked for " + ", ".join(places()), file=sys.stderr)
        sys.exit(1)
    os.execv(program, [program, *sys.argv[1:]])


if __name__ == "__main__":
    main()
