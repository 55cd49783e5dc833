/// Android key attestation: key descriptions, their chains, and the state of the boot.
extension ReasonGuidance {
    /// No genuine device is known to do this.
    private static let attackUnlessOneModel = """
        Treat it as an attack. If many devices of one model fail, report one with the output of `assay inspect`.
        """

    static let challengeMismatch = ReasonGuidance(
        cause: """
            The app passes something else than the 93 bytes of client data to `setAttestationChallenge`, such as their hash or \
            the challenge alone; or it sends an older key, whose challenge was fixed when it was made.
            """,
        remedy: """
            The app makes a key for each registration, with the challenge and payload that the caller states. If it does, \
            treat the chain as a replay.
            """)

    static let malformedExtension = ReasonGuidance(
        cause: """
            Something else than Android's hardware wrote the key description, or a new version writes a form that is not known \
            here.
            """,
        remedy: """
            Treat single cases as tampering. If all devices of one model or version fail, report one with the output of `assay \
            inspect`, and update Assay.
            """)

    static let missingAttestationExtension = ReasonGuidance(
        cause: """
            The device attests in a form of its own (Samsung Knox, EAT), the app sends the chain of another certificate, or a \
            certificate was put below the attested key.
            """,
        remedy: """
            The app sends what `getCertificateChain` returns for the key that it made with an attestation challenge. If it \
            does, treat the evidence as forged.
            """)

    static let chainExtended = ReasonGuidance(
        cause: """
            An attested key signed a further certificate with an invented description, which is the usual forgery. Keys made \
            with `setAttestKeyAlias` give such chains too, and are not accepted.
            """,
        remedy: """
            Treat it as an attack, and block the subject (`assay device block`). An app of yours that uses attest keys makes \
            this key without `setAttestKeyAlias`.
            """)

    static let chainShape = ReasonGuidance(
        cause: """
            A key that was certified for another use, such as a virtual machine's, signed the attestation: neither a factory \
            nor Google's servers make such chains.
            """,
        remedy: attackUnlessOneModel)

    static let revoked = ReasonGuidance(
        cause: """
            Google lists the device's attestation key, mostly as leaked: its owner may be innocent. Or it is in \
            `android.denied`, or the device's certificate was revoked here, as by a block or a readmission.
            """,
        remedy: """
            `assay feeds show` names the list in force; such a device stays refused. For a certificate of Assay `assay cert \
            get` shows the reason; a phone attests a new key, a device of a fleet is readmitted (`assay enrol readmit`).
            """)

    static let softwareLevel = ReasonGuidance(
        cause: """
            The app runs in an emulator or on a device without secure hardware: the private keys of these roots are public, so \
            that anyone can make the evidence.
            """,
        remedy: """
            In production treat it as fraud. Emulators get an app of their own with `android.trust_software_roots`, \
            `android.security_level: software` and `accept_simulated`.
            """)

    static let securityLevelMismatch = ReasonGuidance(
        cause: """
            A chain of one security level carries a description of another, as when an extracted TEE key signs claims about \
            StrongBox.
            """,
        remedy: attackUnlessOneModel)

    static let rootOfTrustMissing = ReasonGuidance(
        cause: "The device's hardware attests keys without the state of the boot, which faulty devices do.",
        remedy: "The user needs another device. No setting allows it: without a verified boot the named app proves nothing.")

    static let bootloaderUnlocked = ReasonGuidance(
        cause: """
            The owner unlocked the bootloader, to root the device or to install another system: any software can run and name \
            any app.
            """,
        remedy: """
            The user installs the manufacturer's system and locks the bootloader, which erases the device, and registers \
            again. `android.verified_boot.allow_unlocked` is for development only.
            """)

    static let bootState = ReasonGuidance(
        cause: """
            The device runs a system of its owner's choice (SelfSigned, such as GrapheneOS) and the app allows none, or a \
            changed one (Unverified, Failed).
            """,
        remedy: """
            To admit a known system, add its keys to `android.verified_boot.self_signed_keys`. A changed system stays refused: \
            the user restores the manufacturer's.
            """)

    static let bootKey = ReasonGuidance(
        cause: """
            The verified boot key of the device's own system is not in `android.verified_boot.self_signed_keys`, or a key is \
            in `android.verified_boot.denied_keys`.
            """,
        remedy: """
            Add the key only if the maker of the system publishes it for this model. The owner of any other key can sign every \
            system: it stays refused.
            """)

    static let bootKeyDenied = ReasonGuidance(
        cause: """
            The manufacturer shipped a system that is signed by a test key of AOSP, or the device runs a build of Android's \
            sources: anyone can sign another system for it.
            """,
        remedy: """
            The device stays refused until its manufacturer ships a signed system. `android.verified_boot.allow_test_keys` is \
            for emulators and development.
            """)

    static let keyOrigin = ReasonGuidance(
        cause: "The app imports the key into the keystore, so that copies of it may exist elsewhere.",
        remedy: """
            The app makes the key in the hardware, by a `KeyPairGenerator` of `AndroidKeyStore`. `android.key.origins` can \
            allow imported keys, of which copies may exist.
            """)

    static let keyPurpose = ReasonGuidance(
        cause: """
            The app makes the key without a purpose of `android.key.purposes`, or with one of \
            `android.key.forbidden_purposes`.
            """,
        remedy: """
            The app makes a new key, for signatures with `PURPOSE_SIGN` alone. If it needs another use by design, change the \
            two lists.
            """)

    static let keyNotAppBound = ReasonGuidance(
        cause: "The description says that every app of the device may use the key, which keys made by apps never say.",
        remedy: attackUnlessOneModel)

    static let keyType = ReasonGuidance(
        cause: """
            The app makes a key of a kind that `android.key.kinds` does not list. If the detail says that the description \
            names another algorithm, curve or size, the description is of another key: a forgery.
            """,
        remedy: "The app makes a key of a listed kind, best P-256. A description of another key stays refused.")

    static let attestedAppMissing = ReasonGuidance(
        cause: "The device runs Android 7, whose attestations name no app, or something other than an app made the key.",
        remedy: "The user needs a device with Android 8 or later. No setting allows it: the key could be any app's.")

    static let attestedAppUnavailable = ReasonGuidance(
        cause: """
            Android's keystore lost its connection to the system and writes a placeholder for the app, a known fault that \
            lasts until the device restarts.
            """,
        remedy: "The app asks the user to restart the device, then makes a new key and registers it.")

    static let packageMismatch = ReasonGuidance(
        cause: """
            `android.packages` or `play_integrity.packages` lacks the build's package, such as a staging variant with a \
            suffix, or a package that shares its user id. Otherwise another app made the evidence.
            """,
        remedy: """
            Add packages that are yours, or give test builds an app of their own. A package that you do not know is another \
            app: it stays refused.
            """)

    static let signerMismatch = ReasonGuidance(
        cause: """
            The configuration has the upload certificate, but Play signs with the app signing certificate; or it is a debug \
            build. Otherwise the app was changed and signed by others.
            """,
        remedy: """
            Add the SHA-256 of the app signing certificate (Play Console, App integrity) to `android.packages.signers` or \
            `play_integrity.signers`. Never add one that is not yours: changed copies of the app carry it.
            """)

    static let tagsNotAscending = ReasonGuidance(
        cause: """
            The device writes the description out of order, as some genuine models do, and `android.require_tag_order` is set.
            """,
        remedy: """
            Omit `android.require_tag_order`, unless these models are to be refused: the order alone does not show a forgery.
            """)

    static let versionsDiffer = ReasonGuidance(
        cause: """
            Software on the device restates a description in the name of a leaked key, and takes one version from the device and the \
            other from elsewhere; `android.require_equal_versions` is set. No genuine device is known that differs from version 100 on.
            """,
        remedy: """
            The device stays refused. If honest devices of one model fail, report them and omit `android.require_equal_versions`: the \
            versions then differ with a note.
            """)
}
