package assay.device

import java.io.IOException
import java.security.KeyPair
import java.security.KeyPairGenerator
import java.security.Signature
import java.security.spec.ECGenParameterSpec
import java.util.concurrent.CopyOnWriteArrayList

/** A clock that only pauses move. */
class FakeTime(var millis: Long = 1_700_000_000_000, var chance: Double = 0.5) : Time {
    val pauses = CopyOnWriteArrayList<Long>()
    private var up = 0L

    override fun now(): Long = synchronized(this) { millis }

    override fun uptime(): Long = synchronized(this) { up }

    override fun sleep(millis: Long) {
        if (Thread.interrupted()) throw InterruptedException()
        pauses.add(millis)
        passes(millis)
    }

    fun passes(millis: Long) = synchronized(this) {
        this.millis += millis
        up += millis
    }

    override fun chance(): Double = chance
}

class MemoryRecords : Records {
    private val all = LinkedHashMap<String, ByteArray>()
    var isFull = false

    override fun read(name: String): ByteArray? = synchronized(this) { all[name] }

    override fun write(name: String, record: ByteArray) = synchronized(this) {
        if (isFull) throw IOException("no space left on device")
        all.remove(name)
        all[name] = record
    }

    override fun remove(name: String) {
        synchronized(this) { all.remove(name) }
    }

    override fun names(prefix: String): List<String> = synchronized(this) { all.keys.filter { it.startsWith(prefix) } }

    fun change(prefix: String, record: ByteArray) = synchronized(this) { for (name in names(prefix)) all[name] = record }
}

/** A Keystore with real keys, whose failures a test writes in advance. Its "certificates" contain the challenge and are no X.509. */
class FakeKeyStore : KeyStoreAccess {
    val generated = CopyOnWriteArrayList<KeyRequest>()
    val failuresOfGenerate = ArrayDeque<KeyStoreFailure?>()
    val failuresOfSign = ArrayDeque<KeyStoreFailure?>()
    var chain: (KeyRequest) -> List<ByteArray>? = { listOf(byteArrayOf(48) + it.clientData, byteArrayOf(48, 0)) }
    var whenGenerating: () -> Unit = {}
    var whenSigning: () -> Unit = {}
    private val keys = HashMap<String, Pair<KeyPair, List<ByteArray>?>>()

    override fun generate(request: KeyRequest) {
        generated.add(request)
        whenGenerating()
        synchronized(this) {
            failuresOfGenerate.removeFirstOrNull()?.let { throw it }
            val generator = KeyPairGenerator.getInstance("EC").apply { initialize(ECGenParameterSpec("secp256r1")) }
            keys[request.alias] = generator.generateKeyPair() to chain(request)
        }
    }

    override fun certificateChain(alias: String): List<ByteArray>? = synchronized(this) { keys[alias]?.second }

    override fun publicKey(alias: String): ByteArray? = synchronized(this) { keys[alias]?.first?.public?.encoded }

    override fun sign(alias: String, message: ByteArray): ByteArray {
        whenSigning()
        return signed(alias, message)
    }

    private fun signed(alias: String, message: ByteArray): ByteArray = synchronized(this) {
        failuresOfSign.removeFirstOrNull()?.let { throw it }
        val pair = keys[alias]?.first ?: throw KeyStoreFailure(KeyStoreFailure.Kind.KEY_MISSING, "no key")
        Signature.getInstance("SHA256withECDSA").run {
            initSign(pair.private)
            update(message)
            sign()
        }
    }

    override fun delete(alias: String) {
        synchronized(this) { keys.remove(alias) }
    }

    /** As a restored backup: the records are there, the keys are not. */
    fun loseAll() = synchronized(this) { keys.clear() }
}

/** A backend that checks signatures, and says what a test wrote in advance. */
class FakeBackend : Backend {
    val challenges = CopyOnWriteArrayList<Act>()
    val registrations = CopyOnWriteArrayList<Registration>()
    val uploads = CopyOnWriteArrayList<SignedUpload>()
    val toChallenges = ArrayDeque<Answer?>()
    val toRegistrations = ArrayDeque<Answer?>()
    val toUploads = ArrayDeque<Answer?>()
    /** Of the next calls of any kind: thrown in place of an answer. */
    val broken = ArrayDeque<IOException?>()
    var whenRegistering: () -> Unit = {}
    var judging: (SignedUpload) -> Answer? = { null }
    private var issued = 0

    private fun script(answers: ArrayDeque<Answer?>, other: () -> Answer): Answer = synchronized(this) {
        broken.removeFirstOrNull()?.let { throw it }
        answers.removeFirstOrNull() ?: other()
    }

    override fun challenge(act: Act): Answer {
        challenges.add(act)
        return script(toChallenges) {
            issued += 1
            Answer(Action.DONE, Problem.REFUSED, challenge = ByteArray(54) { if (it == 0) issued.toByte() else 7 })
        }
    }

    override fun register(registration: Registration): Answer {
        registrations.add(registration)
        whenRegistering()
        return script(toRegistrations) { Answer(Action.DONE, Problem.REFUSED) }
    }

    override fun upload(upload: SignedUpload, payload: Payload): Answer {
        uploads.add(upload)
        return script(toUploads) { judging(upload) ?: Answer(Action.DONE, Problem.REFUSED, isNew = true) }
    }
}

fun says(action: Action, retryAfterMillis: Long? = null): Answer = Answer(
    action,
    when (action) {
        Action.TRY_LATER -> Problem.BACKEND_BUSY
        Action.NEW_CHALLENGE -> Problem.CHALLENGES_REFUSED
        Action.NEW_KEY -> Problem.TOO_MANY_KEYS
        Action.SIGN_IN -> Problem.SIGN_IN_NEEDED
        Action.CONTACT_SUPPORT -> Problem.OPERATOR_NEEDED
        else -> Problem.REFUSED
    },
    retryAfterMillis,
)

/** A device and all its surroundings. */
class Scene(val settings: Settings = Settings(), val tokens: IntegrityTokens? = null) {
    val time = FakeTime()
    val records = MemoryRecords()
    val keys = FakeKeyStore()
    val backend = FakeBackend()
    var device = started()

    /** The app, started again. */
    fun started(): AttestedDevice = AttestedDevice("alice", backend, keys, records, tokens, settings, time)

    fun restart() {
        device = started()
    }

    fun upload(id: String = "1", payload: String = "a photo"): Outcome = device.upload(id, Payload.of(payload.toByteArray()))
}

fun failure(
    kind: KeyStoreFailure.Kind = KeyStoreFailure.Kind.OTHER, code: Int? = null, transient: Boolean = false, system: Boolean = true,
    user: Boolean = false, policy: Int = KeyStoreFailure.RETRY_NEVER, hint: Long? = null,
): KeyStoreFailure = KeyStoreFailure(
    kind, "a failure", code?.let { KeyStoreFailure.Details(it, transient, system, user, policy) }, hint,
)
