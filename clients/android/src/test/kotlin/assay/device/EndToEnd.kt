package assay.device

import java.io.ByteArrayInputStream
import java.io.File
import java.io.IOException
import java.net.HttpURLConnection
import java.security.cert.CertificateFactory
import java.util.Base64
import java.util.concurrent.TimeUnit

/**
 * The library against a daemon and the upload handler of `docs/start/protect-an-upload.md`, run as they stand there. A virtual device
 * of `assay simulate` stands in for Android Keystore: it attests and signs the bytes that the library composed.
 */
private class World(private val assayd: String, private val assay: String, private val repository: File, val folder: File) : AutoCloseable {
    private val processes = ArrayList<Process>()
    private var daemon: Process? = null
    lateinit var address: String

    fun start(python: String) {
        val page = File(repository, "docs/start/protect-an-upload.md").readText()
        for (name in listOf("assayd.yaml", "uploads.py")) {
            val found = Regex("<!-- run: file ${Regex.escape(name)} -->\n```[a-z]*\n(.*?)\n```\n", RegexOption.DOT_MATCHES_ALL).find(page)
            File(folder, name).writeText((found ?: error("$name is not in the page")).groupValues[1] + "\n")
        }
        File(folder, "assayd.yaml").appendText(
            """
            |    play_integrity:
            |      packages: [com.example.photos]
            |      signers: [$SIGNER]
            |      keys:
            |        - decryption_key_file: android/play-decryption.key
            |          verification_key_file: android/play-verification.key
            |""".trimMargin()
        )
        simulate("phone", "iphone", "--app-id", "TEAMID1234.com.example.photos")
        simulate("android", "make", "android", "--package", "com.example.photos", "--signer", "hex:$SIGNER")
        File(folder, "serve.py").writeText(SERVE)
        startDaemon()
        val handler = launched(python, "serve.py")
        address = "http://127.0.0.1:" + handler.inputStream.bufferedReader().readLine()
    }

    fun startDaemon() {
        daemon = launched(assayd, "--config", "assayd.yaml")
        run(assay, "status", "--server", "unix:assayd.sock", "--retries", "5")
    }

    fun stopDaemon() {
        daemon!!.destroy()
        holds(daemon!!.waitFor(30, TimeUnit.SECONDS), "the daemon ends")
    }

    private fun launched(vararg command: String): Process {
        val builder = ProcessBuilder(*command).directory(folder)
        builder.environment()["PYTHONPATH"] = "$repository/examples/python:$folder"
        builder.environment()["PYTHONDONTWRITEBYTECODE"] = "1"
        builder.redirectError(File(folder, File(command[0]).name + ".log"))
        return builder.start().also { processes.add(it) }
    }

    fun run(vararg command: String): String {
        val output = File.createTempFile("output", "", folder)
        val process = ProcessBuilder(*command).directory(folder).redirectErrorStream(true).redirectOutput(output).start()
        if (!process.waitFor(60, TimeUnit.SECONDS)) {
            process.destroyForcibly()
            throw IOException("${command.toList()} did not end")
        }
        val text = output.readText()
        output.delete()
        if (process.exitValue() != 0) throw IOException("${command.toList()}: $text")
        return text
    }

    fun simulate(vararg arguments: String): String = run(assay, "simulate", *arguments)

    fun operator(vararg arguments: String): String = run(assay, *arguments, "--server", "unix:assayd.sock")

    override fun close() = processes.forEach {
        it.destroy()
        if (!it.waitFor(20, TimeUnit.SECONDS)) it.destroyForcibly()
    }

    companion object {
        const val SIGNER = "7d1a6f1bd1c9c2d5ee0ff0b2c2a9f3f4d0b1b6a34d4c8a9d6a7c2f1e0b9d8c7a"

        /** The page's handler on a free port; beside it, the two lines that hand on a token of Play Integrity. */
        const val SERVE = """
import http.server, threading
import uploads
from assay_client import play_integrity_token

sent_now = threading.local()
register, verify_request = uploads.register, uploads.verify_request

def register_with_token(user, sent):
    sent_now.token = sent.get("integrity_token")
    try:
        return register(user, sent)
    finally:
        sent_now.token = None

def verify_request_with_token(app, purpose, challenge, evidence, **rest):
    token = getattr(sent_now, "token", None)
    return verify_request(app, purpose, challenge, evidence + ([play_integrity_token(token)] if token else []), **rest)

uploads.verify_request = verify_request_with_token
uploads.Handler.paths["/devices"] = register_with_token
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), uploads.Handler)
print(server.server_port, flush=True)
server.serve_forever()
"""
    }
}

/** Keys of virtual devices of one authority, a folder each. */
private class SimulatedKeyStore(private val world: World) : KeyStoreAccess {
    private val level = File(world.folder, "android")

    private fun device(alias: String) = File(world.folder, alias)

    override fun generate(request: KeyRequest) = synchronized(this) {
        if (request.inStrongBox) throw KeyStoreFailure(KeyStoreFailure.Kind.STRONGBOX_UNAVAILABLE, "a device without StrongBox")
        val device = device(request.alias)
        device.mkdirs()
        for (name in listOf("authority", "console", "play-decryption.key", "play-verification.key")) {
            File(level, name).copyTo(File(device, name), overwrite = true)
        }
        world.simulate("android", "make", device.name, "--package", "com.example.photos", "--signer", "hex:${World.SIGNER}")
        File(device, "client-data").writeBytes(request.clientData)
        world.simulate("android", "attest", device.name, "--client-data", "${device.name}/client-data", "--out", "${device.name}/chain.pem")
        Unit
    }

    override fun certificateChain(alias: String): List<ByteArray>? {
        val file = File(device(alias), "chain.pem")
        if (!file.exists()) return null
        return Regex("-----BEGIN CERTIFICATE-----([^-]*)-----END").findAll(file.readText()).map { Base64.getMimeDecoder().decode(it.groupValues[1]) }.toList()
    }

    override fun publicKey(alias: String): ByteArray? = certificateChain(alias)?.let {
        CertificateFactory.getInstance("X.509").generateCertificate(ByteArrayInputStream(it[0])).publicKey.encoded
    }

    override fun sign(alias: String, message: ByteArray): ByteArray = synchronized(this) {
        val device = device(alias)
        if (!File(device, "key").exists()) throw KeyStoreFailure(KeyStoreFailure.Kind.KEY_MISSING, "no key")
        File(device, "message").writeBytes(message)
        world.simulate("android", "sign", device.name, "--client-data", "${device.name}/message", "--out", "${device.name}/signature")
        File(device, "signature").readBytes()
    }

    override fun delete(alias: String) {
        device(alias).deleteRecursively()
    }
}

/** Play Integrity's answers of the same virtual device. */
private class SimulatedTokens(private val world: World, private val changed: (ByteArray) -> ByteArray = { it }) : IntegrityTokens {
    override fun token(binding: IntegrityBinding): String {
        File(world.folder, "token-data").writeBytes(changed(Base64.getUrlDecoder().decode(binding.nonce)))
        world.simulate("android", "play-token", "android", "--client-data", "token-data", "--out", "token")
        return File(world.folder, "token").readText().trim()
    }
}

/** A network that loses answers. */
private class Lossy(private val backend: Backend) : Backend {
    var lostRegistrations = 0
    var lostUploads = 0
    var changed: (SignedUpload) -> SignedUpload = { it }
    var registrations = 0
    val uploads = ArrayList<SignedUpload>()

    override fun challenge(act: Act): Answer = backend.challenge(act)

    override fun register(registration: Registration): Answer {
        registrations += 1
        val answer = backend.register(registration)
        if (lostRegistrations-- > 0) throw IOException("the answer ${answer.detail} was lost")
        return answer
    }

    override fun upload(upload: SignedUpload, payload: Payload): Answer {
        uploads.add(upload)
        val answer = backend.upload(changed(upload), payload)
        if (lostUploads-- > 0) throw IOException("the answer ${answer.detail} was lost")
        return answer
    }
}

fun main(arguments: Array<String>) {
    val (assayd, assay, repository, scratch) = arguments
    val world = World(assayd, assay, File(repository), File(scratch))
    Runtime.getRuntime().addShutdownHook(Thread { world.close() })
    world.start(arguments[4])

    val checks = Checks()
    val time = FakeTime(millis = System.currentTimeMillis())
    val keys = SimulatedKeyStore(world)

    class Phone(val user: String, tokens: IntegrityTokens? = null) {
        val records = FileRecords(File(world.folder, "records-$user"))
        val options = HttpBackend.Options(allowsCleartext = true, open = { it.openConnection(java.net.Proxy.NO_PROXY) as HttpURLConnection })
        val backend = Lossy(HttpBackend(world.address, options) { mapOf("User" to user) })
        val tokens = tokens

        fun device() = AttestedDevice(user, backend, keys, records, tokens, time = time)

        fun upload(id: String, payload: String = "a photo of $id"): Outcome = device().upload(id, Payload.of(payload.toByteArray()))

        fun loseKey() = world.folder.listFiles()!!.filter { it.name.startsWith("assay.") && sameUser(it) }.forEach { it.deleteRecursively() }

        private fun sameUser(folder: File) = folder.name == "assay." + hex(sha256(user.toByteArray())).take(32)
    }

    val alice = Phone("alice")
    checks.test("a first upload registers a key without StrongBox, and is stored") {
        equal(true, done(alice.upload("1")).isNew)
        equal(1, alice.backend.registrations)
    }
    checks.test("the app calls again, after a restart: it was stored before") {
        equal(false, done(alice.upload("1")).isNew)
        equal(1, alice.backend.uploads.map { hex(it.signature) }.distinct().size)
    }
    checks.test("a lost answer of an upload") {
        alice.backend.lostUploads = 2
        equal(false, done(alice.upload("2")).isNew)
    }
    checks.test("a lost answer of a registration, over a restart") {
        val bob = Phone("bob")
        bob.backend.lostRegistrations = 5
        equal(Problem.OFFLINE, notDone(bob.upload("1")).problem)
        equal(true, done(bob.upload("1")).isNew)
        equal(6, bob.backend.registrations)
    }
    checks.test("a large photo") {
        equal(true, done(alice.upload("large", "x".repeat(3_000_001))).isNew)
    }
    checks.test("a captured upload that is sent as another one is refused, and the device's own follows") {
        val captured = alice.backend.uploads[0]
        alice.backend.changed = { SignedUpload(it.id, captured.challenge, captured.keyId, captured.signature, it.payloadSha256) }
        equal(Problem.CHALLENGES_REFUSED, notDone(alice.upload("replayed", "a photo of 1")).problem)
        alice.backend.changed = { it }
        done(alice.upload("replayed", "a photo of 1"))
    }
    checks.test("a signature over another photo is refused for good") {
        val other = alice.backend.uploads.last()
        alice.backend.changed = { SignedUpload(it.id, it.challenge, it.keyId, other.signature, it.payloadSha256) }
        equal(Problem.REFUSED to Action.GIVE_UP, notDone(alice.upload("exchanged")).let { it.problem to it.action })
        alice.backend.changed = { it }
    }
    checks.test("a key that is gone: another one is registered, and the upload stored") {
        alice.loseKey()
        equal(true, done(alice.upload("3")).isNew)
        equal(2, alice.backend.registrations)
    }
    checks.test("a device that an operator forgot registers again, once a day") {
        val carol = Phone("carol")
        done(carol.upload("1"))
        fun forget() {
            val shown = world.operator("device", "get", "--app", "photos", "--key-id", "hex:" + hex(carol.backend.uploads.last().keyId))
            val id = Regex("dev_[0-9A-Za-z]+").find(shown)?.value ?: throw AssertionError("no device id in $shown")
            world.operator("device", "forget", "--app", "photos", id, "--yes")
        }
        forget()
        done(carol.upload("2"))
        equal(2, carol.backend.registrations)
        forget()
        equal(Problem.TOO_MANY_KEYS, notDone(carol.upload("3")).problem)
        equal(2, carol.backend.registrations)
    }
    checks.test("a blocked device is given up") {
        val dave = Phone("dave")
        done(dave.upload("1"))
        world.operator("device", "block", "--app", "photos", "--key-id", "hex:" + hex(dave.backend.uploads.last().keyId), "--reason", "stolen")
        equal(Action.GIVE_UP, notDone(dave.upload("2")).action)
    }
    checks.test("a registration that arrives in another user's session is refused") {
        val erin = Phone("erin")
        val own = AttestedDevice("erin", object : Backend by erin.backend {
            override fun register(registration: Registration): Answer = Phone("mallory").backend.register(registration)
        }, keys, erin.records, time = time)
        holds(own.register() is Outcome.NotDone, "a registration of erin is not one of mallory")
    }
    checks.test("a token of Play Integrity beside the attestation, and one that is bound to another key") {
        done(Phone("frank", SimulatedTokens(world)).upload("1"))
        val outcome = notDone(Phone("grace", SimulatedTokens(world) { it.copyOf(92) + 1 }).upload("1"))
        holds(outcome.problem == Problem.CHALLENGES_REFUSED, "$outcome")
    }
    checks.test("the daemon stops before an upload, and runs again: later, and then what was signed before") {
        var isFirst = true
        alice.backend.changed = { upload ->
            if (isFirst) world.stopDaemon()
            isFirst = false
            upload
        }
        val sent = alice.backend.uploads.size
        val before = time.pauses.size
        val outcome = notDone(alice.upload("4"))
        equal(Problem.BACKEND_BUSY to Action.TRY_LATER, outcome.problem to outcome.action)
        holds(time.pauses.drop(before).all { it >= 5_000 }, "the handler's Retry-After is 5 s: ${time.pauses.drop(before)}")
        equal(Problem.BACKEND_BUSY, notDone(alice.upload("5")).problem, "without a challenge nothing is signed")
        world.startDaemon()
        equal(true, done(alice.upload("4")).isNew)
        equal(6, alice.backend.uploads.size - sent)
        equal(1, alice.backend.uploads.drop(sent).map { hex(it.signature) }.distinct().size)
        done(alice.upload("5"))
    }
    checks.run()
}
