package assay.device

/** Times and numbers, with good defaults. */
class Settings(
    val strongBox: StrongBox = StrongBox.PREFER,
    /**
     * Whether the attestation names brand, device, manufacturer, model and product (`setDevicePropertiesAttestationIncluded`, Android 12).
     * Devices that cannot (`ERROR_ID_ATTESTATION_FAILURE`) attest without.
     */
    val withDeviceProperties: Boolean = false,
    /** How many keys are made in 24 hours, for each user: attestation keys are limited, and each key is a device to the daemon. */
    val keysPerDay: Int = 3,
    /** How many challenges one upload takes, if the backend asks for a new one each time. */
    val challengesPerUpload: Int = 3,
    /** For one call with all its tries and pauses. What is under way then is ended by its own time-outs. */
    val callMillis: Long = 120_000,
    /** For one call of Keystore. Making a key may take half a minute, when attestation keys are fetched for it. */
    val keystoreMillis: Long = 60_000,
) {
    init {
        require(keysPerDay >= 1 && challengesPerUpload >= 1 && callMillis >= 1 && keystoreMillis >= 1) { "every number is at least 1" }
    }
}
