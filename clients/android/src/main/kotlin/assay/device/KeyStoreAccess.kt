package assay.device

/** Whether keys are to be in StrongBox, a chip of its own, or in the TEE of the main processor. */
enum class StrongBox {
    /** StrongBox first, the TEE where StrongBox is missing or does not attest. */
    PREFER,

    /** StrongBox or no key. */
    REQUIRE,

    /** The TEE: StrongBox signs much more slowly (half a second is usual). */
    AVOID,
}

/** A key to generate. */
class KeyRequest(
    val alias: String,
    /** For `setAttestationChallenge`. */
    val clientData: ByteArray,
    /** For `setIsStrongBoxBacked`. */
    val inStrongBox: Boolean,
    /** For `setDevicePropertiesAttestationIncluded`: brand, device, manufacturer, model and product in the attestation. */
    val withDeviceProperties: Boolean,
)

/**
 * Android Keystore, as far as it is needed: [AndroidKeyStoreAccess] on a phone, another one in tests. Every function may block
 * for seconds, and longer than [Settings.keystoreMillis] is treated as failed. Each throws [KeyStoreFailure] and nothing else; functions of one object are called from several threads.
 */
interface KeyStoreAccess {
    /** Generates an EC P-256 key for signatures with SHA-256 under the alias, in place of one that is there. */
    @Throws(KeyStoreFailure::class)
    fun generate(request: KeyRequest)

    /** The DER certificates of the key, its own first; null if there is no such key or no chain. */
    @Throws(KeyStoreFailure::class)
    fun certificateChain(alias: String): List<ByteArray>?

    /** The key's SubjectPublicKeyInfo (DER), or null if there is no such key. */
    @Throws(KeyStoreFailure::class)
    fun publicKey(alias: String): ByteArray?

    /** `SHA256withECDSA` over [message], in DER. */
    @Throws(KeyStoreFailure::class)
    fun sign(alias: String, message: ByteArray): ByteArray

    /** Removes the key. There may be none. */
    @Throws(KeyStoreFailure::class)
    fun delete(alias: String)
}

/** What Keystore threw, in words that need no Android class. */
class KeyStoreFailure(
    val kind: Kind,
    message: String,
    /** Of `android.security.KeyStoreException`, Android 13 (API 33) and later. */
    val details: Details? = null,
    /** `BackendBusyException.getBackOffHintMillis`. */
    val backOffHintMillis: Long? = null,
    cause: Throwable? = null,
) : Exception(message, cause) {
    enum class Kind {
        /** `StrongBoxUnavailableException`. */
        STRONGBOX_UNAVAILABLE,

        /** `KeyPermanentlyInvalidatedException`, `KeyExpiredException`, `KeyNotYetValidException`, `UnrecoverableKeyException`. */
        KEY_UNUSABLE,

        /** `getKey` is null: a reinstalled app, a restored backup, credentials that were cleared. */
        KEY_MISSING,

        /** `UserNotAuthenticatedException`. */
        USER_NOT_AUTHENTICATED,

        /** `BackendBusyException`. */
        BACKEND_BUSY,

        /** No answer in time. */
        TIMED_OUT,

        /** `ProviderException` and all others. With [details] from Android 13 on. */
        OTHER,
    }

    /** The public members of `KeyStoreException`. */
    class Details(
        /** `getNumericErrorCode` */
        val code: Int,
        /** `isTransientFailure` */
        val isTransient: Boolean,
        /** `isSystemError` */
        val isSystemError: Boolean,
        /** `requiresUserAuthentication` */
        val requiresUserAuthentication: Boolean,
        /** `getRetryPolicy`: of a transient failure only. */
        val retryPolicy: Int,
    )

    /** Codes and policies of `android.security.KeyStoreException` that decide something. */
    companion object {
        const val ERROR_USER_AUTHENTICATION_REQUIRED: Int = 2
        const val ERROR_KEY_DOES_NOT_EXIST: Int = 6
        const val ERROR_KEY_CORRUPTED: Int = 7
        const val ERROR_ID_ATTESTATION_FAILURE: Int = 8
        const val ERROR_KEY_NOT_TEMPORALLY_VALID: Int = 14
        const val ERROR_KEY_OPERATION_EXPIRED: Int = 15
        const val ERROR_ATTESTATION_KEYS_UNAVAILABLE: Int = 16
        const val ERROR_DEVICE_REQUIRES_UPGRADE_FOR_ATTESTATION: Int = 17

        const val RETRY_NEVER: Int = 1
        const val RETRY_WITH_EXPONENTIAL_BACKOFF: Int = 2
        const val RETRY_WHEN_CONNECTIVITY_AVAILABLE: Int = 3
        const val RETRY_AFTER_NEXT_REBOOT: Int = 4
    }
}
