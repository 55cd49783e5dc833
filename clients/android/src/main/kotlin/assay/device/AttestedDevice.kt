package assay.device

import java.io.IOException

/**
 * This device, for one user of the app: its key in Android Keystore is attested and registered once, and signs each upload.
 *
 * Calls block, for up to [Settings.callMillis] and the time-outs of what is under way then; make them off the main thread, for example
 * with `withContext(Dispatchers.IO) { runInterruptible { … } }`. They may be made from several threads. Keep one object for a
 * user: registrations are shared only within it. An interrupted thread gets `InterruptedException`, and the next call goes on from there.
 */
class AttestedDevice(
    /** The name under which the backend registers the device, with exactly the same bytes in UTF-8. */
    user: String,
    private val backend: Backend,
    keys: KeyStoreAccess,
    private val records: Records,
    tokens: IntegrityTokens? = null,
    private val settings: Settings = Settings(),
    private val time: Time = SystemTime,
) {
    private val alias = "assay." + hex(sha256(user.toByteArray())).take(32)
    private val signingFailures = "signing-$alias"
    private val keys = BoundedKeyStore(keys, settings.keystoreMillis)
    private val calls = Calls(time)
    private val uploads = SignedUploads(records, alias)
    private val shared = Shared<Registrar.Registered>()
    private val alone = Alone()
    private val registrar = Registrar(alias, sha256(user.toByteArray()), backend, this.keys, records, tokens, settings, time, calls)

    init {
        require(user.isNotEmpty()) { "want the user's name" }
    }

    /** Registers the device unless it is registered. [upload] does so by itself; earlier, it costs no time when the user waits. */
    @Throws(InterruptedException::class)
    fun register(): Outcome = ended { Outcome.Done(registered(Deadline(time, settings.callMillis), null).isNew) }

    /**
     * Signs the payload and sends it. After [Action.TRY_LATER] call again with the same id and payload, also after a restart of the
     * app: what was signed is sent again, so that the backend cannot take it twice.
     *
     * @param id names this upload, the same at each try: 1 to 200 characters, such as a UUID.
     */
    @Throws(InterruptedException::class)
    fun upload(id: String, payload: Payload): Outcome {
        require(id.length in 1..200) { "an upload's id has 1 to 200 characters" }
        return ended { alone.run(id) { sent(id, payload, Deadline(time, settings.callMillis)) } }
    }

    /** Removes the user's key, and what was signed and not sent. After it, the next call registers another key. */
    @Throws(InterruptedException::class)
    fun forget() {
        uploads.dropAll()
        records.remove(signingFailures)
        ended {
            registrar.forget()
            Outcome.Done(isNew = true)
        }
    }

    private inline fun ended(work: () -> Outcome): Outcome = try {
        work()
    } catch (stop: Stop) {
        stop.outcome
    }

    /** The registered key; [useless] is replaced. Threads that need a registration at the same time share one. */
    private fun registered(deadline: Deadline, useless: Registrar.Useless?): Registrar.Registered {
        while (true) {
            val registered = shared.run { registrar.run(deadline, useless) }
            if (useless == null || !registered.keyId.contentEquals(useless.keyId)) return registered
        }
    }

    private fun sent(id: String, payload: Payload, deadline: Deadline): Outcome {
        val digest = try {
            payload.sha256()
        } catch (error: Payload.Unreadable) {
            throw stop(Problem.PAYLOAD_UNREADABLE, error.message ?: "")
        }
        var kept = uploads.find(id, digest)
        var useless: Registrar.Useless? = null
        repeat(settings.challengesPerUpload) {
            val signed = kept ?: signed(id, digest, deadline, useless)
            kept = null
            useless = null
            val answer = calls.ask(deadline) { backend.upload(signed, payload) }
            when (answer.action) {
                Action.DONE -> {
                    uploads.finish(signed)
                    return Outcome.Done(answer.isNew)
                }
                Action.NEW_CHALLENGE -> uploads.drop(id)
                Action.NEW_KEY -> {
                    uploads.drop(id)
                    useless = Registrar.Useless(signed.keyId, isLost = false)
                }
                Action.SIGN_IN -> throw calls.ended(answer)
                else -> {
                    uploads.drop(id)
                    throw calls.ended(answer)
                }
            }
        }
        throw stop(Problem.CHALLENGES_REFUSED, "the backend refused ${settings.challengesPerUpload} signatures in a row", 60_000)
    }

    private fun signed(id: String, digest: ByteArray, deadline: Deadline, useless: Registrar.Useless?): SignedUpload {
        var replaced = useless
        // Once with the key that is there, and once more if Keystore has lost it since.
        repeat(2) {
            val keyId = registered(deadline, replaced).keyId
            val answer = calls.ask(deadline) { backend.challenge(Act.UPLOAD) }
            val challenge = answer.challenge ?: throw calls.ended(answer)
            val signature = signature(ClientData.of(Act.UPLOAD, challenge, digest))
            if (signature != null) {
                val signed = SignedUpload(id, challenge, keyId, signature, digest)
                try {
                    uploads.keep(signed)
                } catch (error: IOException) {
                    throw stop(Problem.STORAGE_FAILED, error.toString(), 60_000)
                }
                return signed
            }
            replaced = Registrar.Useless(keyId, isLost = true)
        }
        throw stop(Problem.KEYSTORE_FAILED, "Keystore loses the keys that it makes", 60_000)
    }

    /** Null if the key is lost. */
    private fun signature(message: ByteArray): ByteArray? {
        var busy = 0
        while (true) {
            val failure = try {
                val signature = keys.sign(alias, message)
                if (records.read(signingFailures) != null) records.remove(signingFailures)
                return signature
            } catch (error: KeyStoreFailure) {
                error
            }
            val decision = KeyStoreDecision.signing(failure)
            busy += 1
            when {
                decision.step == KeyStoreDecision.Step.NEW_KEY -> return null
                decision.step == KeyStoreDecision.Step.AGAIN && busy < BackOff.TRIES ->
                    time.sleep(Registrar.busyPause(busy, failure.backOffHintMillis))
                decision.problem == Problem.KEYSTORE_FAILED && failure.kind == KeyStoreFailure.Kind.OTHER &&
                    failure.details?.isTransient != true && failsForGood() -> return null
                else -> throw stop(decision.problem, failure.message ?: "", if (decision.problem == Problem.UNLOCK_NEEDED) 0 else 30_000)
            }
        }
    }

    /** Before Android 13 a failure does not say whether it passes: the third in a row counts as a lost key. */
    private fun failsForGood(): Boolean {
        val failures = (Fields.read(records.read(signingFailures))?.int("failures") ?: 0) + 1
        if (failures >= 3) {
            records.remove(signingFailures)
            return true
        }
        try {
            records.write(signingFailures, Fields().set("failures", failures).written())
        } catch (error: IOException) {
            return false
        }
        return false
    }
}
