"""Where the package and the scripted server of the conformance suite are."""

import sys
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent
sys.dont_write_bytecode = True
for folder in (PACKAGE, PACKAGE.parent / "conformance"):
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
