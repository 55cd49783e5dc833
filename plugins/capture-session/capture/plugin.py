"""What the plugin declares."""
from assay_plugin import Claim, ClaimKind, Code, Format, Freshness, Key, Plugin, Purpose, Retry, ValueKind

from .configuration import read_configuration
from .document import BODY_LIMIT
from .judging import appraise
from .preparing import prepare

PLUGIN = Plugin(
    name="capture-session",
    version="1.0.0",
    formats=[Format(
        name="capture-session",
        purposes=[Purpose.REGISTER, Purpose.ASSERT],
        size_limit=BODY_LIMIT,
        freshness=Freshness.PAYLOAD,
        appraise=appraise,
        prepare=prepare,
        claims=[
            Claim("session_id", ClaimKind.TEXT, "of the session that was prepared"),
            Claim("capture", ClaimKind.TEXT, "identity_card, driving_licence, passport, selfie or liveness"),
            Claim("country", ClaimKind.TEXT, "ISO 3166-1 alpha-2, if one was stated when the session was prepared"),
            Claim("challenges", ClaimKind.TEXTS, "what the app says was met, in the order asked"),
            Claim("prepared_at", ClaimKind.TIME, "when the session was prepared"),
            Claim("expires_at", ClaimKind.TIME, "when the session ends"),
            Claim("system", ClaimKind.TEXT, "the version of the system, as the app says"),
            Claim("device_check_only", ClaimKind.BOOLEAN, "whether the system has no App Attest: the confidence is LOW at most"),
            Claim("salt_bound", ClaimKind.BOOLEAN, "whether the document has a salt that is bound to the session"),
        ],
        codes=[
            Code("country_unknown", Retry.NEVER, "The country is not a code of ISO 3166-1 alpha-2."),
            Code("country_not_accepted", Retry.CONTACT_OPERATOR, "The configuration does not list the country."),
            Code("document_mismatch", Retry.NEVER, "The device signed another document."),
            Code("session_invalid", Retry.NEW_CHALLENGE, "The session was not prepared by this service for this app."),
            Code("session_expired", Retry.NEW_CHALLENGE, "The session has ended."),
            Code("system_too_old", Retry.NEVER, "The device's system is older than the configuration allows."),
            Code("capture_incomplete", Retry.NEW_CHALLENGE, "An image of the capture is missing, or is there twice."),
            Code("image_blurred", Retry.NEW_CHALLENGE, "The app says that an image is not sharp."),
            Code("image_too_dark", Retry.NEW_CHALLENGE, "The app says that an image is too dark."),
            Code("image_too_bright", Retry.NEW_CHALLENGE, "The app says that an image is too bright."),
            Code("image_too_small", Retry.NEW_CHALLENGE, "The app says that an image has too few pixels."),
            Code("document_not_found", Retry.NEW_CHALLENGE, "The app found no document in an image."),
            Code("face_missing", Retry.NEW_CHALLENGE, "The app found no face in an image."),
            Code("several_faces", Retry.NEW_CHALLENGE, "The app found more than one face in an image."),
            Code("spoof_detected", Retry.NEW_CHALLENGE, "The app says that it detected a spoof."),
            Code("recording_missing", Retry.NEW_CHALLENGE, "Challenges were asked for, and the document has no recording."),
            Code("recording_too_short", Retry.NEW_CHALLENGE, "The recording is shorter than was asked."),
            Code("recording_too_long", Retry.NEW_CHALLENGE, "The recording is longer than was asked, by more than the time of injection checks."),
            Code("recording_quality", Retry.NEW_CHALLENGE, "The recording has a lower quality than was asked."),
            Code("challenges_incomplete", Retry.NEW_CHALLENGE, "Other challenges were met than those asked."),
            Code("challenge_order", Retry.NEW_CHALLENGE, "The challenges were met in another order than asked."),
            Code("challenge_out_of_time", Retry.NEW_CHALLENGE, "A challenge was not met within the recording, after the one before."),
            Code("salt_binding_mismatch", Retry.NEVER, "The salt is not bound to this device, session and time."),
        ],
    )],
    configuration_keys=[
        Key("session_key", ValueKind.SECRET_FILE, "authenticates sessions: 64 hex digits", required=True),
        Key("network_seconds", ValueKind.INTEGER, "what a session lasts beside the recording and 3.5 s for injection checks"),
        Key("preset", ValueKind.TEXT, "of recordings, where a request has none: fast (1 s) or substantial (3 s)"),
        Key("quality", ValueKind.INTEGER, "of recordings, where a request has none: 144, 480, 720, 1080 or 2160"),
        Key("countries", ValueKind.LIST, "the countries that sessions are prepared for"),
        Key("minimum_sharpness", ValueKind.NUMBER, "of an image, 0 to 100"),
        Key("minimum_brightness", ValueKind.NUMBER, "of an image, 0 to 255"),
        Key("maximum_brightness", ValueKind.NUMBER, "of an image, 0 to 255"),
        Key("minimum_short_side", ValueKind.INTEGER, "of an image, in pixels"),
        Key("minimum_ios", ValueKind.INTEGER, "the oldest version of iOS"),
        Key("minimum_api_level", ValueKind.INTEGER, "the oldest API level of Android"),
    ],
    read_configuration=read_configuration,
)
