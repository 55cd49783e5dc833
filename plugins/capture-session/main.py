"""The plugin capture-session: README.md says what it does."""
import pathlib
import sys

# With -I Python imports nothing from the script's own folder.
FOLDER = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(FOLDER), str(FOLDER / "vendor")]

from assay_plugin import run  # noqa: E402
from capture.plugin import PLUGIN  # noqa: E402

if __name__ == "__main__":
    run(PLUGIN)
