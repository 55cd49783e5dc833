/// App Attest and DeviceCheck: attestations, assertions, receipts, and the policy over them.
extension ReasonGuidance {
    /// App and caller may have taken the object apart.
    private static let unchangedObject = """
        Send the object as `attestKey` returns it. If app and caller do, treat it as tampering.
        """

    static let nonceMismatch = ReasonGuidance(
        cause: """
            The app attests over other bytes than the caller states: an earlier challenge, because a new one was fetched in \
            between, another payload, or the challenge as text in place of its bytes. A stored attestation has the same \
            effect.
            """,
        remedy: """
            App and caller use one challenge, purpose and payload: `clientDataHash` is SHA-256(client data), the nonce of a \
            Play token its Base64url. `assay inspect` tries them. If both are right, treat it as a replay.
            """)

    static let keyIDMismatch = ReasonGuidance(
        cause: """
            The caller passes the key id as Base64 text in place of the 32 bytes, or the app sends the id of an earlier key \
            with the attestation of a new one.
            """,
        remedy: """
            The caller decodes what `generateKey` returned (standard Base64) to 32 bytes; on Android the id is \
            SHA-256(SubjectPublicKeyInfo). The app keeps id and attestation together. The key itself is good: a new one has the \
            same fault.
            """)

    static let forgedStatement = ReasonGuidance(
        cause: """
            Genuine devices do not produce this, and Apple's signature covers these bytes: they come from a modified device, \
            or from a future system with another form.
            """,
        remedy: """
            Treat single cases as tampering, and block the subject (`assay device block`). If all devices of a new system \
            version fail, update Assay.
            """)

    static let malformedAuthData = ReasonGuidance(
        cause: """
            The app or a proxy takes the object apart and builds it again, or a new system version writes a form that is not \
            known here.
            """,
        remedy: """
            Send the object unchanged; `assay inspect` shows where reading ends. If all devices of a new system version fail, \
            update Assay. Single cases are tampering.
            """)

    static let malformedNonceExtension = ReasonGuidance(
        cause: "The certificate below Apple's root was not made for an attestation of App Attest, or Apple changed its form.",
        remedy: "Treat single cases as tampering. If all devices of a new system version fail, update Assay.")

    static let appIDMismatch = ReasonGuidance(
        cause: """
            `app_attest.identities` lacks the App ID of the build, or no longer has it: a staging bundle identifier, or a \
            prefix that is not the team's id. An App Clip attests with the full app's. Otherwise another app made the \
            evidence.
            """,
        remedy: """
            Add the App ID (prefix, dot, bundle identifier) to the identities, or to an app of its own for test builds. An App \
            ID that is not yours stays refused.
            """)

    static let environmentMismatch = ReasonGuidance(
        cause: """
            A build that was run from Xcode attests in Apple's development environment, and the app allows production only. A \
            TestFlight build installed over it goes on using the development key.
            """,
        remedy: """
            Test builds get an app of their own with `app_attest.identities.environments: [development]`: in production that \
            would admit any build that a developer of the team signs. A TestFlight build removes the key id that it finds, once, \
            and makes a new key.
            """)

    static let accessControl = ReasonGuidance(
        cause: """
            The Mac runs with reduced security (System Integrity Protection off, or below Full Security), or the configuration \
            says `app_attest.identities.platform: macos` for an App ID of iPhones.
            """,
        remedy: """
            The user restores Full Security, and the app makes a new key. For an App ID of iPhones set \
            `app_attest.identities.platform: ios`. A Mac with reduced security stays refused: its software can use any key.
            """)

    static let counterNotIncreasing = ReasonGuidance(
        cause: """
            The same assertion arrives twice, because the app or a proxy repeats an upload without its idempotency key. Under \
            `app_attest.counter: strict` an upload that a later one overtook is refused too.
            """,
        remedy: """
            The caller repeats under the idempotency key of the first request. For parallel uploads set `app_attest.counter: \
            window`. If neither applies, treat it as a replay.
            """)

    static let counterTooOld = ReasonGuidance(
        cause: """
            An upload waited on the phone until the accepted counter of its key was 64 or more ahead. Otherwise a captured \
            assertion was sent late.
            """,
        remedy: """
            The app signs right before it sends, not when it queues; here it signs again, over a new challenge. Frequent cases \
            of one device are replays.
            """)

    static let receiptMissing = ReasonGuidance(
        cause: "Something between app and daemon takes the receipt out of the attestation: Apple always puts one in.",
        remedy: unchangedObject)

    static let changedReceipt = ReasonGuidance(
        cause: """
            The receipt in the attestation was changed on the way, which the attestation's own signature does not show; or \
            Apple uses a form that is not known here.
            """,
        remedy: """
            Send the object as `attestKey` returns it; single cases are tampering. If all new devices fail at once, update \
            Assay; until then `app_attest.receipt.mode: report` accepts them with a note.
            """)

    static let receiptSignerUnexpected = ReasonGuidance(
        cause: """
            Another certificate below Apple's root signed the receipt; or Apple changed the mark of receipt signers, which it \
            does not document.
            """,
        remedy: """
            Treat single cases as forged. If all new devices fail at once, update Assay; until then `app_attest.receipt.mode: \
            report` accepts them with a note.
            """)

    static let foreignReceipt = ReasonGuidance(
        cause: """
            The receipt in the attestation is that of another attestation, or one that Apple returned later: it was exchanged \
            after `attestKey`.
            """,
        remedy: unchangedObject)

    static let timestampInFuture = ReasonGuidance(
        cause: """
            The clock of the daemon's machine is behind, or the camera's is ahead; a camera that writes milliseconds in place \
            of seconds is far ahead.
            """,
        remedy: """
            Keep both clocks synchronised; the camera writes seconds since 1970. For small differences of \
            cameras raise `certificate_bundle.max_future`, of phones `android.offline.max_future`.
            """)

    static let receiptExpired = ReasonGuidance(
        cause: "The attestation is sent about three months after it was made, or the clock of the daemon's machine is ahead.",
        remedy: "The app makes a new key and sends its attestation at once. `assay status` shows faults of the daemon's clock.")

    static let receiptTooOld = ReasonGuidance(
        cause: """
            The app attests long before it sends the attestation, for example offline, and `app_attest.receipt.max_age` has \
            passed.
            """,
        remedy: """
            The app makes a new key and sends its attestation at once. If the delay is intended, raise \
            `app_attest.receipt.max_age`, at most to the lifetime of challenges.
            """)

    static let categoryMissing = ReasonGuidance(
        cause: """
            `app_attest.require_extensions` is set, and the system does not vouch for a category: it is older than version 27, \
            the app was built with an older SDK, or the receipt was not verified.
            """,
        remedy: """
            Omit `app_attest.require_extensions` until all users have version 27. Where they have it, keep receipts on \
            (`app_attest.receipt.mode`), and let the app attest a new key.
            """)

    static let categoryNotAllowed = ReasonGuidance(
        cause: """
            The build came by another channel than `app_attest.validation_categories` lists, such as TestFlight (2) or Xcode \
            (3) where only the App Store (4) is allowed. A clone signed for development looks the same.
            """,
        remedy: """
            Test builds get an app of their own. Category 3 in production admits any build that a developer of the team signs.
            """)

    static let bundleVersionNotAllowed = ReasonGuidance(
        cause: """
            The user has a version of the app that is not in `app_attest.bundle_versions`: a new release that was not added, \
            or an old one. With `app_attest.require_extensions` a device that reports none is refused too.
            """,
        remedy: """
            Add the version of each release before it is published, byte for byte as the app states it. Users of older \
            versions update.
            """)

    static let receiptNotVerified = ReasonGuidance(
        cause: """
            The device was registered when receipts were off or its receipt failed, and `app_attest.receipt.mode: require`, or \
            a risk limit that rejects, was set later.
            """,
        remedy: """
            The app makes a new key and registers it. `assay device get` shows among the claims whether the receipt was \
            verified.
            """)

    static let riskMetricTooHigh = ReasonGuidance(
        cause: """
            Many keys were attested on the device within 30 days: the app makes a key at each start, it is reinstalled often \
            on a test phone, or a farm registers accounts.
            """,
        remedy: """
            Correct an app that makes more than one key per user and installation. `assay device get` shows the metric. Above \
            a handful it is mostly a farm; `app_attest.receipt.max_risk_metric` is the limit.
            """)

    static let deviceBits = ReasonGuidance(
        cause: """
            Your own service set a DeviceCheck bit of the device, usually after abuse. All apps of the team share the bits, \
            and they survive a reinstall.
            """,
        remedy: """
            Find in your own records why the bit was set, and clear it at Apple if the reason no longer holds. \
            `device_check.refuse_bits` names the bits that refuse.
            """)
}
