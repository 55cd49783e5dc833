package assay.device

import java.io.IOException

/** A registration as it is sent. */
class Registration(
    val challenge: ByteArray,
    /** DER, the attested key's certificate first. */
    val certificates: List<ByteArray>,
    /** SHA-256 of the key's SubjectPublicKeyInfo. */
    val keyId: ByteArray,
    /** Of Play Integrity, bound to challenge and key; null without [IntegrityTokens]. */
    val integrityToken: String?,
)

/** An upload's signature as it is sent. Sent again, it is the same, byte for byte: so the daemon knows it again. */
class SignedUpload(
    /** Names the upload to the backend, which derives the idempotency key from it. */
    val id: String,
    val challenge: ByteArray,
    val keyId: ByteArray,
    val signature: ByteArray,
    val payloadSha256: ByteArray,
)

/** What the backend answered. */
class Answer(
    val action: Action,
    /** What the app hears if it comes to that. */
    val problem: Problem,
    val retryAfterMillis: Long? = null,
    /** Of a request for a challenge that is [Action.DONE]: 54 bytes. */
    val challenge: ByteArray? = null,
    /** Of an upload that is [Action.DONE]. */
    val isNew: Boolean = true,
    val detail: String = "",
)

/**
 * The app's own backend, which asks assayd: the phone never does. [HttpBackend] speaks to handlers as the documentation has them; an app
 * with another API implements these three calls. Each may block, is called from several threads, and throws `IOException` if there
 * is no answer.
 */
interface Backend {
    /** A challenge of assayd for this purpose, and for the user of the session. */
    @Throws(IOException::class)
    fun challenge(act: Act): Answer

    @Throws(IOException::class)
    fun register(registration: Registration): Answer

    @Throws(IOException::class)
    fun upload(upload: SignedUpload, payload: Payload): Answer
}
