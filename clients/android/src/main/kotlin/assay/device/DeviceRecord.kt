package assay.device

import kotlin.math.abs

/** What is remembered of a user's key, and of the attempts to get one. Times are in milliseconds since 1970. */
internal data class DeviceRecord(
    val state: State = State.NO_KEY,
    val keyId: ByteArray? = null,
    /** Of the registration, while it is not finished: a repetition sends the same. */
    val challenge: ByteArray? = null,
    val token: String? = null,
    /** When the latest keys were made, the oldest first. */
    val keysMade: List<Long> = emptyList(),
    /** When the backend last asked for a registration in place of one that it had accepted. */
    val demandedAt: Long? = null,
    /** Failures of Keystore in a row. */
    val failures: Int = 0,
    val pause: Pause? = null,
) {
    enum class State {
        NO_KEY,

        /** The key is there; its registration was never sent. */
        MADE,

        /** The registration was sent; what the backend said is not known. */
        SENT,
        REGISTERED,
    }

    /** No key is made for a time. */
    class Pause(val problem: Problem, val since: Long, val millis: Long)

    /** Without the key. Remembers when keys were made. */
    fun discarded(): DeviceRecord = copy(state = State.NO_KEY, keyId = null, challenge = null, token = null)

    fun paused(problem: Problem, now: Long, millis: Long): DeviceRecord = copy(pause = Pause(problem, now, millis))

    /** How long the pause lasts still; null: not at all. */
    fun pauseLeft(now: Long): Long? = pause?.let { left(it.since, it.millis, now) }

    /** How long until a key may be made; null: now. */
    fun waitForKey(now: Long, keysPerDay: Int): Long? {
        val recent = keysMade.filter { left(it, DAY, now) != null }
        return if (recent.size < keysPerDay) null else left(recent[recent.size - keysPerDay], DAY, now)
    }

    /** How long until the backend may ask for another registration; null: now. */
    fun waitForDemand(now: Long): Long? = demandedAt?.let { left(it, DAY, now) }

    fun written(): ByteArray = Fields().set("state", state).set("key", keyId).set("challenge", challenge)
        .set("token", token?.toByteArray()).set("made", keysMade.joinToString(",")).set("demanded", demandedAt)
        .set("failures", failures).set("problem", pause?.problem).set("since", pause?.since).set("for", pause?.millis).written()

    companion object {
        const val DAY: Long = 24 * 60 * 60 * 1000L

        /** A time that was written by a clock that ran ahead counts for at most [millis], too. */
        private fun left(since: Long, millis: Long, now: Long): Long? =
            if (abs(now - since) < millis) (millis - (now - since)).coerceIn(1, millis) else null

        /** Without a readable record, an empty one. */
        fun read(record: ByteArray?): DeviceRecord {
            val fields = Fields.read(record) ?: return DeviceRecord()
            val state = State.values().firstOrNull { it.name == fields.text("state") } ?: return DeviceRecord()
            val problem = Problem.values().firstOrNull { it.name == fields.text("problem") }
            val since = fields.long("since")
            val millis = fields.long("for")
            val read = DeviceRecord(
                state, fields.bytes("key"), fields.bytes("challenge"), fields.bytes("token")?.let { String(it) },
                fields.text("made").orEmpty().split(',').mapNotNull { it.toLongOrNull() }.takeLast(100),
                fields.long("demanded"), (fields.int("failures") ?: 0).coerceIn(0, 1000),
                if (problem != null && since != null && millis != null) Pause(problem, since, millis.coerceIn(0, DAY)) else null,
            )
            val isWhole = when (state) {
                State.NO_KEY -> true
                State.MADE, State.SENT -> read.keyId?.size == 32 && read.challenge?.size == ClientData.CHALLENGE_BYTES
                State.REGISTERED -> read.keyId?.size == 32
            }
            return if (isWhole) read else read.discarded()
        }
    }
}
