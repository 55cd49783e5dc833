package assay.device

import assay.device.DeviceRecord.State
import java.io.IOException
import java.util.concurrent.locks.ReentrantLock

/** The user's key: makes it, registers it, and remembers how far that came. */
internal class Registrar(
    private val alias: String,
    /** SHA-256 of the payload that a registration binds: the user's name. */
    private val payloadSha256: ByteArray,
    private val backend: Backend,
    private val keys: KeyStoreAccess,
    private val records: Records,
    private val tokens: IntegrityTokens?,
    private val settings: Settings,
    private val time: Time,
    private val calls: Calls,
) {
    class Registered(val keyId: ByteArray, val isNew: Boolean)

    /** A key that is to be replaced: the backend does not take it, or Keystore has lost it. */
    class Useless(val keyId: ByteArray, val isLost: Boolean)

    private val name = "key-$alias"
    private val lock = ReentrantLock()

    /** The registered key. Throws [Stop]. */
    fun run(deadline: Deadline, useless: Useless?): Registered = locked { registered(deadline, useless) }

    /** Removes the key. When keys were made stays known. */
    fun forget() = locked {
        save(DeviceRecord.read(records.read(name)).discarded().copy(pause = null))
        removeKey()
    }

    private fun <Value> locked(work: () -> Value): Value {
        lock.lockInterruptibly()
        try {
            return work()
        } finally {
            lock.unlock()
        }
    }

    private fun registered(deadline: Deadline, useless: Useless?): Registered {
        var record = DeviceRecord.read(records.read(name))
        if (useless != null && record.keyId.contentEquals(useless.keyId)) {
            if (!useless.isLost) {
                record.waitForDemand(time.now())?.let { throw stop(Problem.TOO_MANY_KEYS, "the backend asked for another key less than a day ago", it) }
                record = record.copy(demandedAt = time.now())
            }
            record = save(record.discarded())
        }
        if (record.state != State.NO_KEY && !presentKey().contentEquals(record.keyId)) {
            record = save(record.discarded())       // a reinstalled app, a restored backup, or credentials that were cleared
        }
        if (record.state == State.REGISTERED) return Registered(record.keyId!!, isNew = false)
        repeat(CHALLENGES) {
            if (record.state == State.NO_KEY) record = made(record, deadline)
            if (record.state == State.MADE) record = save(record.copy(state = State.SENT, token = token(record, deadline)))
            record = sent(record, deadline)
            if (record.state == State.REGISTERED) return Registered(record.keyId!!, isNew = true)
        }
        save(record.paused(Problem.CHALLENGES_REFUSED, time.now(), HOUR))
        throw stop(Problem.CHALLENGES_REFUSED, "the backend refused the challenges of $CHALLENGES registrations", HOUR)
    }

    private fun sent(record: DeviceRecord, deadline: Deadline): DeviceRecord {
        val chain = reading { keys.certificateChain(alias) } ?: return save(record.discarded())
        val registration = Registration(record.challenge!!, chain, record.keyId!!, record.token)
        val answer = calls.ask(deadline) { backend.register(registration) }
        return when (answer.action) {
            Action.DONE -> save(record.copy(state = State.REGISTERED, challenge = null, token = null, failures = 0, pause = null))
            // A key is attested when it is made: another challenge takes another key.
            Action.NEW_CHALLENGE, Action.NEW_KEY -> save(record.discarded())
            Action.SIGN_IN -> throw calls.ended(answer)
            else -> {
                save(record.discarded().paused(answer.problem, time.now(), HOUR))
                removeKey()
                throw calls.ended(answer)
            }
        }
    }

    private fun made(record: DeviceRecord, deadline: Deadline): DeviceRecord {
        val now = time.now()
        record.pauseLeft(now)?.let { throw stop(record.pause!!.problem, "not tried again before its time", it) }
        record.waitForKey(now, settings.keysPerDay)?.let { throw stop(Problem.TOO_MANY_KEYS, "${settings.keysPerDay} keys were made in a day", it) }
        save(record)                                // a full storage is noticed before a key is made
        val answer = calls.ask(deadline) { backend.challenge(Act.REGISTER) }
        val challenge = answer.challenge ?: throw calls.ended(answer)
        val keyId = generated(record, challenge)
        return save(
            record.copy(
                state = State.MADE, keyId = keyId, challenge = challenge, token = null, failures = 0, pause = null,
                keysMade = (record.keysMade + time.now()).takeLast(settings.keysPerDay),
            )
        )
    }

    /** The id of a new key that has a chain. At most three different requests are tried, each once unless Keystore is busy. */
    private fun generated(record: DeviceRecord, challenge: ByteArray): ByteArray {
        val clientData = ClientData.of(Act.REGISTER, challenge, payloadSha256)
        val box = settings.strongBox
        // After failures in a row that may pass, a preferred StrongBox is not insisted on.
        val inStrongBox = box == StrongBox.REQUIRE || box == StrongBox.PREFER && record.failures < 2
        var request = KeyRequest(alias, clientData, inStrongBox, settings.withDeviceProperties)
        var busy = 0
        while (true) {
            var detail: String
            var hint: Long? = null
            val decision = try {
                keys.generate(request)
                val fault = AttestationChain.fault(keys.certificateChain(alias), clientData)
                if (fault == null) keys.publicKey(alias)?.let { return sha256(it) }
                detail = fault ?: "Keystore does not find the key that it made"
                removeKey()
                KeyStoreDecision.noAttestation(request, box)
            } catch (failure: KeyStoreFailure) {
                detail = failure.message ?: ""
                hint = failure.backOffHintMillis
                KeyStoreDecision.generating(failure, request, box)
            }
            when (decision.step) {
                KeyStoreDecision.Step.WITHOUT_STRONGBOX ->
                    request = KeyRequest(alias, clientData, false, request.withDeviceProperties)
                KeyStoreDecision.Step.WITHOUT_PROPERTIES ->
                    request = KeyRequest(alias, clientData, request.inStrongBox, false)
                KeyStoreDecision.Step.AGAIN -> {
                    busy += 1
                    if (busy == BackOff.TRIES) throw failed(record, decision.problem, detail)
                    time.sleep(busyPause(busy, hint))
                }
                else -> throw failed(record, decision.problem, detail)
            }
        }
    }

    private fun failed(record: DeviceRecord, problem: Problem, detail: String): Stop {
        val failures = record.failures + 1
        val isPermanent = problem == Problem.KEYSTORE_FAILED && failures >= FAILURES_THAT_STAY
        val then = if (isPermanent) Problem.CANNOT_ATTEST else problem
        val pause = when (then) {
            Problem.UNLOCK_NEEDED -> 0L                             // over as soon as the user unlocks
            Problem.KEYSTORE_BUSY, Problem.PROVISIONING_OFFLINE -> 10_000L
            Problem.SYSTEM_UPDATE_NEEDED -> HOUR
            Problem.CANNOT_ATTEST, Problem.STRONGBOX_MISSING -> DeviceRecord.DAY
            else -> BackOff.doubled(30_000, failures, HOUR)         // KeyStoreException: first 5 to 30 s, then doubled
        }
        val counts = problem == Problem.KEYSTORE_FAILED || problem == Problem.PROVISIONING_LATER
        save(record.discarded().copy(failures = if (counts) failures else record.failures).paused(then, time.now(), pause))
        return stop(then, detail, pause)
    }

    private fun token(record: DeviceRecord, deadline: Deadline): String? {
        val tokens = tokens ?: return null
        // Beside an attestation the token binds the attested key.
        val binding = IntegrityBinding(ClientData.of(Act.REGISTER, record.challenge!!, sha256(record.keyId!!)))
        var tried = 0
        var isPrepared = false
        while (true) {
            val failure = try {
                return tokens.token(binding)
            } catch (error: IntegrityFailure) {
                error
            }
            val step = IntegrityStep.after(failure.code)
            val pause = INTEGRITY_PAUSES.getOrNull(tried)
            when {
                step == IntegrityStep.PREPARE && !isPrepared -> {
                    isPrepared = true
                    try {
                        tokens.prepare()
                    } catch (error: IntegrityFailure) {
                        // Said again by the next request for a token.
                    }
                }
                step == IntegrityStep.AGAIN && pause != null && deadline.leaves(pause) -> {
                    tried += 1
                    time.sleep(pause)
                }
                tokens.isOptional -> return null
                else -> throw stop(
                    when (step) {
                        IntegrityStep.USER -> Problem.TOKEN_NEEDS_USER
                        IntegrityStep.IMPOSSIBLE -> Problem.TOKEN_IMPOSSIBLE
                        else -> Problem.TOKEN_LATER
                    },
                    "Play Integrity: error ${failure.code}", if (step == IntegrityStep.LATER) HOUR else 60_000,
                )
            }
        }
    }

    /** The key's id as Keystore has it; null if there is none. */
    private fun presentKey(): ByteArray? = reading { keys.publicKey(alias) }?.let { sha256(it) }

    /** Reads from Keystore. A key that cannot be read is one that is not there; a failure that may pass ends the call. */
    private fun <Value> reading(read: () -> Value?): Value? {
        var busy = 0
        while (true) {
            val failure = try {
                return read()
            } catch (error: KeyStoreFailure) {
                error
            }
            val decision = KeyStoreDecision.signing(failure)
            if (decision.step == KeyStoreDecision.Step.NEW_KEY) return null
            busy += 1
            if (decision.step != KeyStoreDecision.Step.AGAIN || busy == BackOff.TRIES) {
                throw stop(decision.problem, failure.message ?: "", if (decision.problem == Problem.UNLOCK_NEEDED) 0 else 30_000)
            }
            time.sleep(busyPause(busy, failure.backOffHintMillis))
        }
    }

    private fun removeKey() = try {
        keys.delete(alias)
    } catch (error: KeyStoreFailure) {
        // The next key takes its place.
    }

    private fun save(record: DeviceRecord): DeviceRecord = try {
        records.write(name, record.written())
        record
    } catch (error: IOException) {
        throw stop(Problem.STORAGE_FAILED, error.toString(), 60_000)
    }

    companion object {
        /** Challenges, and so keys, of one call. */
        private const val CHALLENGES = 2
        private const val FAILURES_THAT_STAY = 5
        private const val HOUR = 60 * 60 * 1000L
        private val INTEGRITY_PAUSES = listOf(5_000L, 10_000L, 20_000L)

        /** `BackendBusyException` asks for 10 to 30 ms. */
        fun busyPause(times: Int, hint: Long?): Long = maxOf(BackOff.doubled(20, times, 500), (hint ?: 0).coerceIn(0, 5_000))
    }
}
