package assay.device

import kotlin.system.exitProcess

/** A runner of tests for a machine without JUnit: each test is a sentence and a block. */
class Checks {
    private val tests = ArrayList<Pair<String, () -> Unit>>()

    fun test(sentence: String, block: () -> Unit) {
        tests.add(sentence to block)
    }

    fun run(): Nothing {
        var failed = 0
        for ((sentence, block) in tests) {
            try {
                within(60_000, block)
            } catch (error: Throwable) {
                failed += 1
                println("FAILED: $sentence")
                error.printStackTrace(System.out)
            }
        }
        println("${tests.size - failed} passed, $failed failed")
        exitProcess(if (failed == 0 && tests.isNotEmpty()) 0 else 1)
    }
}

/** A test that hangs is a failed one. */
fun within(millis: Long, block: () -> Unit) {
    var thrown: Throwable? = null
    val thread = Thread { try { block() } catch (error: Throwable) { thrown = error } }
    thread.isDaemon = true
    thread.start()
    thread.join(millis)
    if (thread.isAlive) {
        val where = thread.stackTrace.take(12).joinToString("\n    ")
        throw AssertionError("not done in $millis ms, at\n    $where")
    }
    thrown?.let { throw it }
}

fun equal(expected: Any?, found: Any?, what: String = "") {
    val same = if (expected is ByteArray && found is ByteArray) expected.contentEquals(found) else expected == found
    if (!same) throw AssertionError("$what: expected $expected, found $found")
}

fun holds(condition: Boolean, what: String) {
    if (!condition) throw AssertionError(what)
}

inline fun <reified Thrown : Throwable> throws(block: () -> Unit): Thrown {
    try {
        block()
    } catch (error: Throwable) {
        if (error is Thrown) return error
        throw error
    }
    throw AssertionError("expected ${Thrown::class.java.simpleName}")
}

fun notDone(outcome: Outcome): Outcome.NotDone = outcome as? Outcome.NotDone ?: throw AssertionError("found $outcome")

fun done(outcome: Outcome): Outcome.Done = outcome as? Outcome.Done ?: throw AssertionError("found $outcome")
