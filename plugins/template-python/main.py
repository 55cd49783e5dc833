"""Appraises an HMAC-SHA-256 over the client data under a key that app and server share. It shows how a plugin is written, and
proves nothing about a device."""
import hashlib
import hmac
import pathlib
import sys

# With -I Python imports nothing from the script's own folder.
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "vendor"))

from assay_plugin import (  # noqa: E402
    Appraisal, Assurance, Claim, ClaimKind, Evidence, Format, Freshness, Key, Plugin, Purpose, Settings, ValueKind, run)


def read_configuration(settings: Settings) -> bytes:
    return settings.hex("key", size=32)


def appraise(appraisal: Appraisal[bytes], evidence: Evidence) -> None:
    body = evidence.body
    appraisal.require("form", len(body) == 32, "malformed", f"expected an HMAC of 32 bytes, found {len(body)}")
    mac = hmac.digest(appraisal.configuration, evidence.client_data, hashlib.sha256)
    appraisal.require("signature", hmac.compare_digest(mac, body), "bad_signature", "the HMAC is not over this client data")
    # From here on the evidence is authentic.
    appraisal.verified_client_data(evidence.client_data)
    appraisal.claim("algorithm", "hmac-sha256")
    appraisal.assurance(Assurance.SOFTWARE)


PLUGIN = Plugin(
    name="example-hmac",
    version="1.0.0",
    formats=[Format(
        name="example.hmac",
        purposes=[Purpose.ASSERT],
        size_limit=64,
        freshness=Freshness.CHALLENGE,
        appraise=appraise,
        claims=[Claim("algorithm", ClaimKind.TEXT, "how the client data was authenticated")],
    )],
    configuration_keys=[Key("key", ValueKind.SECRET_FILE, "the key that app and server share: 64 hex digits", required=True)],
    read_configuration=read_configuration,
)

if __name__ == "__main__":
    run(PLUGIN)
