package assay.device

import java.text.ParsePosition
import java.text.SimpleDateFormat
import java.util.Locale
import java.util.TimeZone
import kotlin.random.Random

/** Clock, pauses and chance, so that tests need no waiting. */
interface Time {
    /** Milliseconds since 1970, by the clock that the user may set. */
    fun now(): Long

    /** Milliseconds of a clock that never goes back. */
    fun uptime(): Long

    @Throws(InterruptedException::class)
    fun sleep(millis: Long)

    /** From 0 to 1. */
    fun chance(): Double
}

object SystemTime : Time {
    override fun now(): Long = System.currentTimeMillis()

    override fun uptime(): Long = System.nanoTime() / 1_000_000

    override fun sleep(millis: Long) = Thread.sleep(millis)

    override fun chance(): Double = Random.nextDouble()
}

/** Pauses between tries: 1 s, doubled, at most 30 s, each ± 20 %. */
internal object BackOff {
    const val TRIES = 5
    private const val FIRST = 1_000L
    private const val LONGEST = 30_000L

    /** After try [tried] (from 1). A time that the backend named is kept, and up to 20 % more: not all phones come back at once. */
    fun pause(tried: Int, retryAfterMillis: Long?, time: Time): Long {
        val chance = time.chance().coerceIn(0.0, 1.0)
        val own = (doubled(FIRST, tried, LONGEST) * (1 + 0.2 * (2 * chance - 1))).toLong()
        val asked = retryAfterMillis?.let { (it * (1 + 0.2 * chance)).toLong() } ?: 0
        return maxOf(own, asked)
    }

    /** Whether a call may wait so long itself. Longer waits are the app's: it has a scheduler for them. */
    fun isShort(pause: Long): Boolean = pause <= LONGEST * 6 / 5

    /** [first] for [times] 1, twice as much for each more, at most [longest]. */
    fun doubled(first: Long, times: Int, longest: Long): Long = minOf(first shl (times - 1).coerceIn(0, 20), longest)

    /** The header field `Retry-After` in milliseconds from [now]: at most 9 digits of seconds, or a date. Anything else is ignored. */
    fun retryAfter(text: String?, now: Long): Long? {
        val value = text?.trim() ?: return null
        if (value.length in 1..9 && value.all { it in '0'..'9' }) return value.toLong() * 1000
        if (value.length != 29) return null
        val format = SimpleDateFormat("EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.US)
        format.timeZone = TimeZone.getTimeZone("GMT")
        format.isLenient = false
        val position = ParsePosition(0)
        val date = format.parse(value, position) ?: return null
        return if (position.index == value.length) maxOf(0, date.time - now) else null
    }
}

/** Until when a call may go on. */
internal class Deadline(private val time: Time, millis: Long) {
    private val end = time.uptime() + millis

    fun leaves(millis: Long): Boolean = time.uptime() + millis < end
}
