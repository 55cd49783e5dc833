"""Where the daemon's program is."""

import os
import shutil


class ProgramNotFound(FileNotFoundError):
    """There is no assayd to start."""


def find(named=None):
    """The path of assayd: `named`, or that below ASSAY_HOME, or the one on the PATH."""
    if named is not None:
        if not _runs(named):
            raise ProgramNotFound(f"{named} is not a program that this user may run")
        return os.fspath(named)
    home = os.environ.get("ASSAY_HOME")
    if home:
        places = [os.path.join(home, folder, "assayd") for folder in ("bin", "", os.path.join(".build", "release"))]
        for place in places:
            if _runs(place):
                return place
        raise ProgramNotFound(f"ASSAY_HOME is {home}, and there is no assayd in it: looked for {', '.join(places)}")
    found = shutil.which("assayd")
    if found is None:
        raise ProgramNotFound(
            "assayd is not on the PATH, and ASSAY_HOME is not set: install Assay, or set ASSAY_HOME to the folder of a "
            "release (the one that has bin/assayd)"
        )
    return found


def _runs(path):
    return os.path.isfile(path) and os.access(path, os.X_OK)
