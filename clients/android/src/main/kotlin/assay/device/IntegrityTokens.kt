package assay.device

import java.util.Base64

/**
 * Tokens of Google's Play Integrity API beside a registration. Google's library is the app's dependency, not this one's: the app
 * implements [token] with it, blocking (`Tasks.await`). The backend hands the token to assayd as a second piece of evidence.
 */
interface IntegrityTokens {
    /** Throws [IntegrityFailure] with the number of `StandardIntegrityException` or `IntegrityServiceException`. */
    @Throws(IntegrityFailure::class)
    fun token(binding: IntegrityBinding): String

    /** Prepares the token provider again (`prepareIntegrityToken`). Called once after INTEGRITY_TOKEN_PROVIDER_INVALID. */
    @Throws(IntegrityFailure::class)
    fun prepare() {}

    /** Whether a registration may be sent without a token if there is none. The backend's policy decides about it then. */
    val isOptional: Boolean get() = false
}

/** What a token is asked for with: [requestHash] in a standard request, [nonce] in a classic one. */
class IntegrityBinding internal constructor(clientData: ByteArray) {
    /** For `IntegrityTokenRequest.Builder.setNonce`: Base64url of the client data. */
    val nonce: String = Base64.getUrlEncoder().withoutPadding().encodeToString(clientData)

    /** For `StandardIntegrityTokenRequest.Builder.setRequestHash`: Base64url of the client data's SHA-256, without padding. */
    val requestHash: String = Base64.getUrlEncoder().withoutPadding().encodeToString(sha256(clientData))
}

/** `getErrorCode` of the exceptions of Play Integrity. */
class IntegrityFailure(val code: Int, message: String? = null, cause: Throwable? = null) : Exception(message, cause)

/** What follows an error of Play Integrity. */
enum class IntegrityStep {
    /** Google's advice: after 5, 10 and 20 s. */
    AGAIN,

    /** The token provider is prepared again, then at once. */
    PREPARE,

    /** Not before hours have passed. */
    LATER,

    /** The user updates or switches on Play Store or Play services. */
    USER,

    /** Never: the app's configuration, or the system. */
    IMPOSSIBLE;

    companion object {
        fun after(code: Int): IntegrityStep = when (code) {
            -3, -12, -17, -18, -100 -> AGAIN            // NETWORK_ERROR, GOOGLE_SERVER_UNAVAILABLE, CLIENT_TRANSIENT_ERROR, INTERNAL_ERROR
            -8 -> LATER                                 // TOO_MANY_REQUESTS: the app's or the device's quota
            -19 -> PREPARE                              // INTEGRITY_TOKEN_PROVIDER_INVALID
            -2, -4, -6, -9, -14, -15 -> USER            // PLAY_STORE_NOT_FOUND, …_ACCOUNT_NOT_FOUND, PLAY_SERVICES_NOT_FOUND,
                                                        // CANNOT_BIND_TO_SERVICE, PLAY_STORE_VERSION_OUTDATED, PLAY_SERVICES_…
            else -> IMPOSSIBLE                          // API_NOT_AVAILABLE, APP_NOT_INSTALLED, APP_UID_MISMATCH, NONCE_…,
        }                                               // CLOUD_PROJECT_NUMBER_IS_INVALID, and numbers that are not known
    }
}
