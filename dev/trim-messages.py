#!/usr/bin/env python3
"""Takes out of Swift messages, as protoc-gen-swift wrote them, the `==` that the compiler makes itself: dev/trim-messages.py FILE...

It compares the same fields. An `==` in the source is one more candidate for each `==` of a file that imports the messages: with 265 of them the
compiler took 50 ms for each expectation of a test. Messages that keep their fields in a class stay as they are: for them the compiler makes none.
"""

import re
import sys

# Of the extension that makes a type a message, `==` is the last function.
EQUALITY = re.compile(r"\n\n  (?:public |package )?static func ==\(lhs: .*?\n  \}\n(?=\}\n)", re.DOTALL)


def main():
    for path in sys.argv[1:]:
        with open(path) as file:
            text = file.read()
        with open(path, "w") as file:
            file.write(EQUALITY.sub(lambda found: found.group(0) if "_storage" in found.group(0) else "\n", text))


if __name__ == "__main__":
    main()
