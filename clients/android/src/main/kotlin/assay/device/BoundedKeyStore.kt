package assay.device

import java.util.concurrent.CountDownLatch
import java.util.concurrent.TimeUnit
import java.util.concurrent.locks.ReentrantLock
import kotlin.concurrent.thread
import kotlin.concurrent.withLock

/**
 * A Keystore whose calls end. Those of some makers hang in a call to the secure hardware, which cannot be interrupted: it goes on in its
 * own thread, and until it ends no other call begins, so that no two calls make a key of one alias.
 */
internal class BoundedKeyStore(private val keys: KeyStoreAccess, private val millis: Long) : KeyStoreAccess {
    private val lock = ReentrantLock()
    private val hasEnded = lock.newCondition()

    /** Calls that their callers no longer wait for. */
    private var left = 0

    override fun generate(request: KeyRequest) = bounded("generateKeyPair") { keys.generate(request) }

    override fun certificateChain(alias: String): List<ByteArray>? = bounded("getCertificateChain") { keys.certificateChain(alias) }

    override fun publicKey(alias: String): ByteArray? = bounded("getCertificate") { keys.publicKey(alias) }

    override fun sign(alias: String, message: ByteArray): ByteArray = bounded("sign") { keys.sign(alias, message) }

    override fun delete(alias: String) = bounded("deleteEntry") { keys.delete(alias) }

    private class Call<Value> {
        val ended = CountDownLatch(1)
        var result: Result<Value>? = null
        var isLeft = false
    }

    private fun <Value> bounded(name: String, work: () -> Value): Value {
        waitForOthers(name)
        val call = Call<Value>()
        thread(isDaemon = true, name = "assay $name") {
            val result = runCatching(work)
            lock.withLock {
                call.result = result
                if (call.isLeft) {
                    left -= 1
                    hasEnded.signalAll()
                }
            }
            call.ended.countDown()
        }
        try {
            call.ended.await(millis, TimeUnit.MILLISECONDS)
        } finally {
            lock.withLock {
                if (call.result == null) {
                    call.isLeft = true
                    left += 1
                }
            }
        }
        return (call.result ?: throw late(name, millis)).getOrThrow()
    }

    private fun waitForOthers(name: String) {
        lock.lockInterruptibly()
        try {
            val limit = minOf(millis, OTHERS)
            var nanos = TimeUnit.MILLISECONDS.toNanos(limit)
            while (left > 0) {
                if (nanos <= 0) throw late("a call before $name", limit)
                nanos = hasEnded.awaitNanos(nanos)
            }
        } finally {
            lock.unlock()
        }
    }

    private fun late(name: String, millis: Long) =
        KeyStoreFailure(KeyStoreFailure.Kind.TIMED_OUT, "Keystore did not end $name in $millis ms")

    private companion object {
        const val OTHERS = 5_000L
    }
}
