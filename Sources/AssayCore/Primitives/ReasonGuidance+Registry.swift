/// The registry of devices, permissions of fleets, and evidence that is missing or set aside.
extension ReasonGuidance {
    static let unknownDevice = ReasonGuidance(
        cause: """
            The app uses a key whose registration was not accepted, or was forgotten; or it is registered with another daemon, \
            as staging or before a restored backup, or for another app.
            """,
        remedy: """
            `assay device get` looks for the key id. If it is not there, the app makes a new key and registers it; a device of \
            a fleet is readmitted (`assay enrol readmit`).
            """)

    static let deviceBlocked = ReasonGuidance(
        cause: """
            An operator blocked the device, its key or its subject. A block of a subject covers its new devices too, and a \
            blocked device that was forgotten leaves its key blocked.
            """,
        remedy: """
            `assay device blocks` shows what is blocked, since when and why, and `assay device unblock` lifts it. No verdict \
            tells the reason.
            """)

    static let deviceFlagged = ReasonGuidance(
        cause: """
            A plugin that observes verdicts, such as anomaly, or an operator flagged the device, and the app names the flag \
            under `device.flags.reject`.
            """,
        remedy: """
            `assay device get` shows the flags, who set them, why and until when. A flag ends by itself; `assay device unflag` \
            clears a wrong one at once. If it hits honest devices, take its name out of `device.flags.reject`.
            """)

    static let deviceMismatch = ReasonGuidance(
        cause: """
            The caller expects another device than the one that signed, for example after the user changed phones; or the \
            pieces are of two devices, or a token stands alone, which names none.
            """,
        remedy: """
            The caller keeps the device id of the last registration, and sends pieces of one device. If the user has not \
            changed phones, treat it as a stolen account.
            """)

    static let keyOwnerMismatch = ReasonGuidance(
        cause: """
            A second account is used on the phone with the first one's key, or the caller names the subject in another way \
            than at the registration, such as by e-mail in place of an id.
            """,
        remedy: """
            The app registers a key for each account, and the caller names subjects by an id that never changes. Many accounts \
            on one device are a sign of a farm or of stolen accounts.
            """)

    static let keyAlreadyRegistered = ReasonGuidance(
        cause: """
            The app registers a key once more, for example because the answer to the first registration was lost, or two \
            requests ran at the same time.
            """,
        remedy: """
            The caller repeats a lost registration under its idempotency key; `assay device get` shows whether the key is \
            registered. If it is, the app goes on with assertions by this key.
            """)

    static let tooManyDevices = ReasonGuidance(
        cause: """
            Each reinstallation and each new phone registers another device, and the earlier ones of the subject still count. \
            Otherwise an account is shared or registers a farm.
            """,
        remedy: """
            `assay device list` shows the subject's devices, and `assay device forget` removes those that are not used any \
            more. Raise `max_devices_per_subject` only if honest users need it.
            """)

    static let replacementRefused = ReasonGuidance(
        cause: """
            The caller sends the id of a device that was replaced or forgotten before, that was registered for another subject or \
            without one, or that belongs to a fleet; or the request names no subject; or the app replaces no devices.
            """,
        remedy: """
            The caller keeps the device id of the last registration of each subject, names the subject, and names no device to \
            replace where there is none. `replaces` says which devices may be replaced; `assay device forget` retires any.
            """)

    static let importedNotAccepted = ReasonGuidance(
        cause: "An operator imported the device, and `app_attest.accept_imported` is not set, or no longer.",
        remedy: """
            Set `app_attest.accept_imported` if the source of the import is trusted; its chain was not verified here. \
            Otherwise the app makes a new key and registers it.
            """)

    static let simulatedNotAccepted = ReasonGuidance(
        cause: """
            Evidence of a simulator or emulator reaches an app without `accept_simulated`, or a device that was registered in \
            a test is still used.
            """,
        remedy: """
            In production treat it as an attempt with a virtual device. Tests use an app of their own with `accept_simulated`; \
            `assay device forget` removes its devices.
            """)

    static let unknownCertificate = ReasonGuidance(
        cause: """
            The certificate's device was forgotten or replaced, it was issued for another app, or after the backup that was \
            restored.
            """,
        remedy: """
            `assay cert list` shows what is on record. A phone gets a certificate for a new key, a device of a fleet is \
            readmitted (`assay enrol readmit`). If no cause fits, others may use the CA's key: revoke and replace the CA.
            """)

    static let keyAlreadyCertified = ReasonGuidance(
        cause: "The device asks for a second certificate of one key, often because the first answer was lost.",
        remedy: """
            The caller repeats a lost request under its idempotency key; `assay cert list` shows the certificate. For another \
            certificate the device makes a new key.
            """)

    static let certificateSerialTaken = ReasonGuidance(
        cause: """
            Serial numbers are 16 random bytes: two that are equal mean that the machine's random numbers repeat, as in a \
            virtual machine that was cloned while it ran.
            """,
        remedy: """
            The device asks again with a new key. If it happens twice, stop issuing, and check the machine's source of random \
            numbers: keys may repeat too.
            """)

    static let tooManySubmissions = ReasonGuidance(
        cause: """
            The camera sent as many bundles in 24 hours as `certificate_bundle.submissions.block` allows: heavy use, a client \
            that signs the same image in a loop, or a stolen key.
            """,
        remedy: """
            Compare the number with what the camera can take. Correct the client or raise the limit; for a stolen key block \
            the device (`assay device block`).
            """)

    static let notEnrolled = ReasonGuidance(
        cause: """
            The serial number is not on the allow-list or was mistyped, the token was used or has expired, it is for another \
            family, or a readmission has ended.
            """,
        remedy: """
            `assay enrol list` shows the permissions. `assay enrol add` adds one, `assay enrol readmit` one for a device that \
            was provisioned before. A serial number that your production does not know may be a counterfeit's.
            """)

    static let alreadyProvisioned = ReasonGuidance(
        cause: """
            The first answer was lost and the factory asks under another idempotency key, a repaired device comes back, or two \
            devices have one serial number. A readmitted device is refused if it shows a token.
            """,
        remedy: """
            The factory repeats under the first idempotency key. A repaired device is readmitted (`assay enrol readmit`) and \
            shows no token. Of two devices with one number one may be a copy: find out first.
            """)

    static let evidenceMissing = ReasonGuidance(
        cause: """
            A registration has no Play Integrity token although `android.require_play_integrity` is set, or has a token alone, \
            which registers no device. A certificate was asked for on evidence of no device.
            """,
        remedy: """
            The caller sends all pieces in one request: key attestation and token, or for a certificate an attestation or a \
            registered device's signature.
            """)

    static let confidenceTooLow = ReasonGuidance(
        cause: """
            The request carries no signals, or signals whose SHA-256 is not the payload that the device signed; or the signals speak \
            against the capture, or against each other. The finding's detail names the level and the required one.
            """,
        remedy: """
            Where a note says that the signals are not bound or malformed, the app or the caller is fixed: the document goes byte \
            for byte as the device signed it. Otherwise the user captures again, with the depth sensor free. A level that the app's \
            devices cannot reach is lowered in `confidence.require`.
            """)

    static let metadataFlagsViolated = ReasonGuidance(
        cause: """
            The app writes coordinates, a time of day, a model, a serial number or a build into the signed document, although the \
            document's flags say that the user left them out. The detail names each place.
            """,
        remedy: """
            The app is fixed: it takes out what the flags leave out before the device signs. The same document is never accepted. \
            `confidence.flags_violated: note` accepts such captures, with a failed check of the metadata.
            """)

    static let pluginQuarantined = ReasonGuidance(
        cause: "The evidence makes the plugin crash, hang or exceed its limits, by a fault of the plugin or by intention.",
        remedy: """
            `assay plugin quarantine show` writes the evidence for the plugin's author. After a repair `assay plugin \
            quarantine release` lets it be judged again. Several cases of one device are an attack.
            """)
}
