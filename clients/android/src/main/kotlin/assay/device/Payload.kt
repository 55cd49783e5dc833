package assay.device

import java.io.ByteArrayInputStream
import java.io.File
import java.io.FileInputStream
import java.io.IOException
import java.io.InputStream
import java.security.MessageDigest

/** The bytes of an upload. They are read twice or more: to sign them, and each time they are sent; so they must not change. */
class Payload(
    /** In bytes. */
    val size: Long,
    private val opened: () -> InputStream,
) {
    /** The payload cannot be read, or has another length than before. */
    class Unreadable(message: String, cause: Throwable?) : IOException(message, cause)

    /** SHA-256 of the bytes. Throws [Unreadable]. */
    fun sha256(): ByteArray {
        val digest = MessageDigest.getInstance("SHA-256")
        read { buffer, count -> digest.update(buffer, 0, count) }
        return digest.digest()
    }

    /**
     * Hands all bytes to [taken], in pieces whose length is a multiple of 3 but for the last. An error of reading is
     * [Unreadable]; what [taken] throws goes on unchanged.
     */
    fun read(taken: (buffer: ByteArray, count: Int) -> Unit) {
        val buffer = ByteArray(PIECE)
        var done = 0L
        val stream = unless("cannot be opened") { opened() }
        stream.use {
            while (done < size) {
                val wanted = minOf(PIECE.toLong(), size - done).toInt()
                var have = 0
                while (have < wanted) {
                    val count = unless("cannot be read") { stream.read(buffer, have, wanted - have) }
                    if (count < 0) throw Unreadable("the payload ends after ${done + have} of $size bytes", null)
                    have += count
                }
                taken(buffer, have)
                done += have
            }
            if (unless("cannot be read") { stream.read() } >= 0) throw Unreadable("the payload is longer than $size bytes", null)
        }
    }

    private fun <Value> unless(what: String, work: () -> Value): Value = try {
        work()
    } catch (error: IOException) {
        throw Unreadable("the payload $what: ${error.message}", error)
    }

    companion object {
        private const val PIECE = 3 * 16 * 1024

        fun of(bytes: ByteArray): Payload = Payload(bytes.size.toLong()) { ByteArrayInputStream(bytes) }

        fun of(file: File): Payload = Payload(file.length()) { FileInputStream(file) }
    }
}
