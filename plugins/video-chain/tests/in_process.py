"""The plugin's judgement without its process: for many calls, and for what is not in a verdict."""
import pathlib
import sys

FOLDER = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(FOLDER), str(FOLDER / "vendor")]

from assay_plugin import Evidence, Purpose, Refusal  # noqa: E402
from assay_plugin.appraisal import Appraisal  # noqa: E402
from assay_plugin.faults import CheckFailed  # noqa: E402
from chain.configuration import Configuration  # noqa: E402
from chain.plugin import PLUGIN  # noqa: E402

FORMAT = PLUGIN.formats[0]
EVERYTHING = Configuration((1, 2), "either", True, "depth_over_time")


def appraised(body, payload_sha256, configuration=EVERYTHING):
    """The AppraiseResponse."""
    appraisal = Appraisal(FORMAT, configuration, None, b"", None)
    evidence = Evidence(FORMAT.name, "app", body, 1_764_579_600_000, Purpose.ASSERT, b"", payload_sha256)
    try:
        FORMAT.appraise(appraisal, evidence)
    except CheckFailed:
        pass
    except Refusal as refusal:
        appraisal.check("form", False, refusal.code, refusal.detail)
    return appraisal.response()


def is_accepted(response):
    return bool(response.verified_payload_sha256)
