package assay.device

/** How [AttestedDevice.register] and [AttestedDevice.upload] end. */
sealed class Outcome {
    /** The backend took it. [isNew] is false if it had it before (status 200 in place of 201). */
    class Done(val isNew: Boolean) : Outcome()

    /** [action] is what the app does next. */
    class NotDone(
        val problem: Problem,
        /** Of [Action.TRY_LATER]: when to call again with the same arguments, at the earliest. What was signed is then repeated. */
        val afterMillis: Long,
        /** For the app's log, not for people: one line of at most 300 characters. */
        val detail: String,
    ) : Outcome() {
        val action: Action get() = problem.action
    }

    final override fun toString(): String = when (this) {
        is Done -> if (isNew) "done" else "done before"
        is NotDone -> "$action ($problem, after $afterMillis ms): $detail"
    }
}

/** Ends a call from inside. */
internal class Stop(val outcome: Outcome.NotDone) : Exception(outcome.toString(), null, false, false)

internal fun stop(problem: Problem, detail: String, afterMillis: Long = 0): Stop =
    Stop(Outcome.NotDone(problem, if (problem.action == Action.TRY_LATER) afterMillis else 0, brief(detail)))

/** A text for a log: short, and on one line. */
internal fun brief(text: String): String = text.take(300).map { if (it < ' ') ' ' else it }.joinToString("")
