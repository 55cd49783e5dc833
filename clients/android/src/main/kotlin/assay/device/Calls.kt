package assay.device

import java.io.IOException
import java.io.InterruptedIOException
import java.net.SocketTimeoutException
import java.util.concurrent.CountDownLatch
import java.util.concurrent.locks.ReentrantLock
import javax.net.ssl.SSLException
import kotlin.concurrent.withLock

/** Asks the backend until it says something other than "later", with pauses. */
internal class Calls(private val time: Time) {
    fun ask(deadline: Deadline, call: () -> Answer): Answer {
        var tried = 0
        while (true) {
            val answer = answered(call)
            tried += 1
            if (answer.action != Action.TRY_LATER) return answer
            val pause = BackOff.pause(tried, answer.retryAfterMillis, time)
            if (tried == BackOff.TRIES || !BackOff.isShort(pause) || !deadline.leaves(pause)) {
                throw stop(answer.problem, "${answer.detail} ($tried tries)", maxOf(pause, NEXT_CALL))
            }
            time.sleep(pause)
        }
    }

    private fun answered(call: () -> Answer): Answer = try {
        call()
    } catch (error: Payload.Unreadable) {
        throw stop(Problem.PAYLOAD_UNREADABLE, error.message ?: "")
    } catch (error: IOException) {
        if (error is InterruptedIOException && error !is SocketTimeoutException) throw InterruptedException(error.message)
        val problem = if (error is SSLException) Problem.TLS_FAILED else Problem.OFFLINE
        Answer(Action.TRY_LATER, problem, detail = "no answer: $error")
    }

    /** Ends the call with an answer that no other step follows. */
    fun ended(answer: Answer): Stop = stop(answer.problem, answer.detail, NEXT_CALL)

    private companion object {
        /** After all tries the app waits at least so long. */
        const val NEXT_CALL = 30_000L
    }
}

/** One run at a time. Callers that come meanwhile wait for it and get its result. */
internal class Shared<Value : Any> {
    private class Run<Value> {
        val ended = CountDownLatch(1)
        @Volatile var value: Value? = null
        @Volatile var stopped: Outcome.NotDone? = null
    }

    private var running: Run<Value>? = null

    /** A run that ends by an exception other than [Stop] (an interrupted thread) is nothing to its waiters: one of them runs next. */
    fun run(work: () -> Value): Value {
        while (true) {
            val own = Run<Value>()
            val other = synchronized(this) { running.also { if (it == null) running = own } }
            if (other == null) return lead(own, work)
            other.ended.await()
            other.value?.let { return it }
            other.stopped?.let { throw Stop(it) }
        }
    }

    private fun lead(own: Run<Value>, work: () -> Value): Value {
        try {
            return work().also { own.value = it }
        } catch (stop: Stop) {
            own.stopped = stop.outcome
            throw stop
        } finally {
            synchronized(this) { running = null }
            own.ended.countDown()
        }
    }
}

/** One call at a time for each name. */
internal class Alone {
    private val busy = HashSet<String>()
    private val lock = ReentrantLock()
    private val isFree = lock.newCondition()

    fun <Value> run(name: String, work: () -> Value): Value {
        lock.lockInterruptibly()
        try {
            while (!busy.add(name)) isFree.await()
        } finally {
            lock.unlock()
        }
        try {
            return work()
        } finally {
            lock.withLock {
                busy.remove(name)
                isFree.signalAll()
            }
        }
    }
}
