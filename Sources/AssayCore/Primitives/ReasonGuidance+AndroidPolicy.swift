/// The app's policy over Android key attestation.
extension ReasonGuidance {
    static let securityLevelTooLow = ReasonGuidance(
        cause: """
            The app did not ask for StrongBox, or the device has none, where `android.security_level: strongbox` is set; or \
            the key is in software.
            """,
        remedy: """
            The app makes a key with `setIsStrongBoxBacked(true)`. If devices without StrongBox are to be accepted, set \
            `android.security_level: tee`; keys in software stay refused.
            """)

    static let appVersion = ReasonGuidance(
        cause: """
            The user's version of the app is below `android.packages.min_version` or `play_integrity.min_version_code`. A \
            registered Android device is judged by the version of its registration.
            """,
        remedy: """
            The user updates the app; a registered Android device then attests a new key. Publish the version before you \
            demand it.
            """)

    static let osVersion = ReasonGuidance(
        cause: """
            The system is older than `android.min_os_version` or `play_integrity.min_sdk_version`, or an unofficial one that \
            states no version. A registered Android device is judged by the version of its registration.
            """,
        remedy: "The user updates the system; a registered Android device then attests a new key.")

    static let patchLevelTooOld = ReasonGuidance(
        cause: """
            The device lacks security updates, or an age such as 12 months has passed since its registration, which keeps the \
            level of that day. Some models do not state vendor and boot levels readably.
            """,
        remedy: """
            The user installs updates, and the app attests a new key. For unreadable levels omit \
            `android.patch_levels.refuse_unreadable`. A greater age is a decision about risk, not a repair.
            """)

    static let patchLevelInFuture = ReasonGuidance(
        cause: """
            The device states a patch level from the future, as forged attestations do, or the clock of the daemon's machine \
            is behind. Some updates are shipped a month early.
            """,
        remedy: """
            Check the daemon's clock (`assay status`). `android.patch_levels.months_ahead: 1` allows for early updates; treat \
            more as tampering.
            """)

    static let keyProperties = ReasonGuidance(
        cause: """
            The app makes the key without what `android.key.properties` or `android.key.user_authentication` demands, or the \
            device's hardware does not offer it.
            """,
        remedy: """
            The app makes a new key with it, such as `setUserAuthenticationRequired(true)` or \
            `setUnlockedDeviceRequired(true)`. Demand only what all supported devices offer.
            """)

    static let createdOutOfWindow = ReasonGuidance(
        cause: """
            The device's clock is wrong, which is frequent, or the app attested the key longer ago than \
            `android.creation_window`.
            """,
        remedy: """
            The app makes the key right before it registers; the user sets the clock. If honest devices fail, widen or omit \
            `android.creation_window`: the challenge proves freshness better.
            """)

    static let attestedIDMismatch = ReasonGuidance(
        cause: """
            The device is another model or unit than `android.attested_ids` lists, or the app did not ask for its identifiers \
            (`setDevicePropertiesAttestationIncluded`). Refurbished devices may state wrong ones.
            """,
        remedy: """
            Compare the identifiers with your inventory, by `assay inspect`, and add those of your devices to \
            `android.attested_ids`. Others stay refused.
            """)

    static let remoteProvisioningRequired = ReasonGuidance(
        cause: """
            The device was released with Android 12 or earlier and has a factory key only, or it was offline when the key was \
            made. Leaked factory keys are used to forge attestations.
            """,
        remedy: """
            The app makes a new key while the device is online. Older devices cannot comply: \
            `android.remote_key_provisioning.require_remote` excludes them.
            """)

    static let provisioningCount = ReasonGuidance(
        cause: """
            Google issued many certificates to the device within 30 days, as to one that makes attestations for others; or the \
            device does not state the number readably.
            """,
        remedy: """
            Treat hundreds as fraud. Single digits are normal: set `android.remote_key_provisioning.max_certificates` well \
            above them.
            """)

    static let attestationKeyOverused = ReasonGuidance(
        cause: """
            Many devices registered under one attestation key within a day: the key leaked and makes devices. A factory key is \
            shared by up to 100,000 genuine phones, so that a launch of your app may cause it.
            """,
        remedy: """
            Treat it as fraud for a remotely provisioned key, which one device has; `android.denied.public_keys` refuses the \
            key at once. Raise `android.remote_key_provisioning.factory_key_per_day` only if your own numbers explain it.
            """)
}
