package assay.device

import java.nio.ByteBuffer
import java.nio.charset.CharacterCodingException
import java.util.Base64

/** Reads what a handler answers: a word (`then`, as JSON or as the whole body), and in its absence the status. */
internal object AnswerReader {
    /** Bytes of an answer. More is not read. */
    const val LARGEST = 64 * 1024

    /** Words of the handlers, and the daemon's retry classes. */
    private fun action(word: String): Action? = when (word.lowercase().removePrefix("retry_class_")) {
        "done" -> Action.DONE
        "later" -> Action.TRY_LATER
        "new_challenge" -> Action.NEW_CHALLENGE
        "register", "re_attest" -> Action.NEW_KEY
        "give_up", "never" -> Action.GIVE_UP
        "contact_operator" -> Action.CONTACT_SUPPORT
        else -> null
    }

    private fun problem(action: Action): Problem = when (action) {
        Action.DONE, Action.GIVE_UP, Action.GO_WITHOUT_ATTESTATION -> Problem.REFUSED
        Action.CONTACT_SUPPORT -> Problem.OPERATOR_NEEDED
        Action.TRY_LATER -> Problem.BACKEND_BUSY
        Action.NEW_CHALLENGE -> Problem.CHALLENGES_REFUSED
        Action.NEW_KEY -> Problem.TOO_MANY_KEYS
        Action.SIGN_IN -> Problem.SIGN_IN_NEEDED
    }

    /** [body] is at most [LARGEST] bytes, or null if the answer has more. */
    fun challenge(status: Int, retryAfterMillis: Long?, body: ByteArray?): Answer {
        if (status != 200 && status != 201) return verdict(status, retryAfterMillis, body).let { if (it.action == Action.DONE) unreadable(status) else it }
        val text = text(body) ?: return unreadable(status)
        val word = if (text.startsWith("{")) JsonObject.texts(text)?.get("challenge") else text
        val challenge = word?.let { decoded(it) }
        if (challenge == null || challenge.size != ClientData.CHALLENGE_BYTES) return unreadable(status)
        return Answer(Action.DONE, Problem.REFUSED, challenge = challenge)
    }

    fun verdict(status: Int, retryAfterMillis: Long?, body: ByteArray?): Answer {
        val text = text(body)
        val word = if (text != null && text.startsWith("{")) JsonObject.texts(text)?.get("then") else text
        val said = word?.takeIf { it.length <= 64 }?.let { action(it) }
        val isGood = status in 200..299
        val action = when {
            status == 401 -> Action.SIGN_IN
            said == Action.DONE && !isGood -> null          // the answer contradicts itself
            said != null -> said
            isGood && text == "" -> Action.DONE
            status == 409 -> Action.NEW_CHALLENGE
            status == 410 -> Action.NEW_KEY
            isGood || status in 300..399 -> null            // a captive portal, or another service
            status == 408 || status == 425 || status == 429 || status >= 500 -> Action.TRY_LATER
            else -> Action.GIVE_UP
        } ?: return unreadable(status)
        return Answer(
            action, problem(action), retryAfterMillis, isNew = status == 201,
            detail = "the backend answered $status" + if (said != null) " ${word.trim()}" else "",
        )
    }

    private fun unreadable(status: Int): Answer =
        Answer(Action.TRY_LATER, Problem.ANSWER_UNREADABLE, detail = "the answer with status $status is not the backend's")

    private fun text(body: ByteArray?): String? = try {
        body?.let { Charsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(it)).toString().trim() }
    } catch (error: CharacterCodingException) {
        null
    }

    /** In either alphabet of Base64, with or without padding. */
    private fun decoded(text: String): ByteArray? {
        if (text.length > 128) return null
        return try {
            Base64.getDecoder().decode(text.replace('-', '+').replace('_', '/'))
        } catch (error: IllegalArgumentException) {
            null
        }
    }
}
