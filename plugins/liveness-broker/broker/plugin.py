"""What the plugin declares."""
from assay_plugin import Claim, ClaimKind, Code, Format, Freshness, HostService, Key, Plugin, Purpose, Retry, ValueKind

from .analysis import appraise, prepare
from .configuration import read_configuration
from .evidence import BODY_LIMIT

PLUGIN = Plugin(
    name="liveness-broker",
    version="1.0.0",
    formats=[Format(
        name="liveness-broker",
        purposes=[Purpose.REGISTER, Purpose.ASSERT],
        size_limit=BODY_LIMIT,
        freshness=Freshness.SINGLE_USE,
        appraise=appraise,
        prepare=prepare,
        claims=[
            Claim("provider", ClaimKind.TEXT, "the host that analysed the capture"),
            Claim("analysis_id", ClaimKind.TEXT, "the provider's name of the analysis, if the configuration says where it stands"),
            Claim("session_expires_at", ClaimKind.TIME, "when the session ends"),
        ],
        codes=[
            Code("metadata_missing", Retry.NEVER, "The capture has no metadata."),
            Code("session_invalid", Retry.NEW_CHALLENGE, "The session was not prepared by this service for this app."),
            Code("session_expired", Retry.NEW_CHALLENGE, "The session has ended."),
            Code("session_used", Retry.NEW_CHALLENGE, "The session was used before."),
            Code("liveness_rejected", Retry.NEW_CHALLENGE, "The provider does not accept the capture."),
            Code("provider_unavailable", Retry.LATER, "The provider does not answer."),
        ],
    )],
    configuration_keys=[
        Key("base_url", ValueKind.TEXT, "where the provider is: https, or http on a loopback address", required=True),
        Key("api_key", ValueKind.SECRET_FILE, "the provider's key", required=True),
        Key("session_key", ValueKind.SECRET_FILE, "authenticates sessions: 64 hex digits", required=True),
        Key("api_key_header", ValueKind.TEXT, "the header that carries the key"),
        Key("api_key_format", ValueKind.TEXT, "the header's value, with {key} for the key"),
        Key("ca_file", ValueKind.TEXT, "certificates (PEM) that the provider's is verified with"),
        Key("prepare", ValueKind.OBJECT, "how session data is asked for", required=True),
        Key("analyze", ValueKind.OBJECT, "how a capture is analysed, and what is demanded of the answer", required=True),
        Key("media", ValueKind.TEXT, "whether evidence has media: none, optional, required"),
        Key("session_seconds", ValueKind.INTEGER, "how long a session lasts"),
        Key("timeout_ms", ValueKind.INTEGER, "how long the provider is waited for"),
    ],
    host_services=[HostService.FIND_USED],
    read_configuration=read_configuration,
    # Each call waits for the provider.
    concurrency=16,
)
