package assay.device

import java.security.MessageDigest

/** What a challenge is for. The byte is a constant here: it is never taken from the challenge or from the backend. */
enum class Act(internal val byte: Byte, internal val word: String) {
    REGISTER(1, "register"),
    UPLOAD(2, "upload"),
}

/**
 * The 93 bytes that the device signs: `"assay1" ‖ purpose (1) ‖ challenge (54) ‖ SHA-256(payload)`.
 * A registration has them in `setAttestationChallenge`, an upload as the message of `SHA256withECDSA`.
 */
object ClientData {
    const val CHALLENGE_BYTES: Int = 54
    const val BYTES: Int = 93

    /** Throws `IllegalArgumentException` unless [challenge] has 54 bytes and [payloadSha256] 32. */
    fun of(act: Act, challenge: ByteArray, payloadSha256: ByteArray): ByteArray {
        require(challenge.size == CHALLENGE_BYTES) { "a challenge has $CHALLENGE_BYTES bytes, not ${challenge.size}" }
        require(payloadSha256.size == 32) { "a SHA-256 has 32 bytes, not ${payloadSha256.size}" }
        return "assay1".toByteArray(Charsets.US_ASCII) + byteArrayOf(act.byte) + challenge + payloadSha256
    }
}

internal fun sha256(bytes: ByteArray): ByteArray = MessageDigest.getInstance("SHA-256").digest(bytes)

internal fun hex(bytes: ByteArray): String =
    bytes.joinToString("") { (it.toInt() and 0xff).toString(16).padStart(2, '0') }
