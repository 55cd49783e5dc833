package assay.device

import assay.device.KeyStoreFailure.Kind
import java.io.IOException
import java.io.InterruptedIOException
import java.net.ConnectException
import java.net.SocketTimeoutException
import java.util.concurrent.CountDownLatch
import java.util.concurrent.CyclicBarrier
import java.util.concurrent.TimeUnit
import javax.net.ssl.SSLHandshakeException

private const val HOUR = 60 * 60 * 1000L
private const val DAY = 24 * HOUR

fun registrationTests(checks: Checks) {
    checks.test("the first upload registers, later ones only sign") {
        val scene = Scene()
        equal(true, done(scene.upload("1")).isNew)
        done(scene.upload("2"))
        equal(1, scene.keys.generated.size)
        equal(1, scene.backend.registrations.size)
        equal(listOf(Act.REGISTER, Act.UPLOAD, Act.UPLOAD), scene.backend.challenges.toList())
        val registration = scene.backend.registrations[0]
        val request = scene.keys.generated[0]
        equal(ClientData.of(Act.REGISTER, registration.challenge, sha256("alice".toByteArray())), request.clientData)
        equal(true, request.inStrongBox)
        equal(false, request.withDeviceProperties)
        equal(registration.keyId, scene.backend.uploads[0].keyId)
        equal(sha256(scene.keys.publicKey(request.alias)!!), registration.keyId)
        equal(false, done(scene.device.register()).isNew)
    }
    checks.test("StrongBoxUnavailableException leads to the TEE, once") {
        val scene = Scene()
        scene.keys.failuresOfGenerate.add(failure(Kind.STRONGBOX_UNAVAILABLE))
        equal(true, done(scene.device.register()).isNew)
        equal(listOf(true, false), scene.keys.generated.map { it.inStrongBox })
    }
    checks.test("without StrongBox where it is required, no other key is made for a day") {
        val scene = Scene(Settings(strongBox = StrongBox.REQUIRE))
        scene.keys.failuresOfGenerate.add(failure(Kind.STRONGBOX_UNAVAILABLE))
        val first = notDone(scene.device.register())
        equal(Problem.STRONGBOX_MISSING, first.problem)
        equal(Action.GO_WITHOUT_ATTESTATION, first.action)
        equal(Problem.STRONGBOX_MISSING, notDone(scene.device.register()).problem)
        equal(1, scene.keys.generated.size)
        scene.time.passes(DAY)
        done(scene.device.register())
    }
    checks.test("StrongBox can be avoided") {
        val scene = Scene(Settings(strongBox = StrongBox.AVOID))
        done(scene.device.register())
        equal(listOf(false), scene.keys.generated.map { it.inStrongBox })
    }
    checks.test("device properties are left out where they cannot be attested") {
        val scene = Scene(Settings(withDeviceProperties = true))
        scene.keys.failuresOfGenerate.add(failure(code = KeyStoreFailure.ERROR_ID_ATTESTATION_FAILURE))
        done(scene.device.register())
        equal(listOf(true, false), scene.keys.generated.map { it.withDeviceProperties })
    }
    checks.test("a broken chain in StrongBox leads to the TEE, one in the TEE to a pause of a day") {
        val scene = Scene()
        scene.keys.chain = { null }
        val outcome = notDone(scene.device.register())
        equal(Problem.CANNOT_ATTEST, outcome.problem)
        equal(listOf(true, false), scene.keys.generated.map { it.inStrongBox })
        equal(null, scene.keys.publicKey(scene.keys.generated[0].alias), "the key is removed")
        repeat(50) { equal(Problem.CANNOT_ATTEST, notDone(scene.upload("$it")).problem) }
        equal(2, scene.keys.generated.size, "keys")
        equal(1, scene.backend.challenges.size, "challenges")
        scene.time.passes(DAY)
        scene.keys.chain = { listOf(it.clientData) }
        equal(Problem.CANNOT_ATTEST, notDone(scene.device.register()).problem)
    }
    checks.test("attestation keys that cannot be fetched now: later, after doubled pauses, and never in a loop") {
        val scene = Scene()
        fun fails(policy: Int) = scene.keys.failuresOfGenerate.add(failure(code = 16, transient = true, policy = policy))
        fails(KeyStoreFailure.RETRY_WHEN_CONNECTIVITY_AVAILABLE)
        equal(Problem.PROVISIONING_OFFLINE, notDone(scene.device.register()).problem)
        scene.time.passes(10_000)
        val waits = ArrayList<Long>()
        repeat(9) {
            fails(KeyStoreFailure.RETRY_WITH_EXPONENTIAL_BACKOFF)
            val outcome = notDone(scene.device.register())
            equal(Problem.PROVISIONING_LATER, outcome.problem)
            val before = scene.keys.generated.size
            repeat(5) { equal(Problem.PROVISIONING_LATER, notDone(scene.upload("x$it")).problem) }
            scene.restart()
            equal(before, scene.keys.generated.size, "keys")
            waits.add(outcome.afterMillis)
            scene.time.passes(outcome.afterMillis)
        }
        equal(listOf(30L, 60L, 120L, 240L, 480L, 960L, 1920L, 3600L, 3600L), waits.map { it / 1000 })
        equal(listOf(true, true, true) + List(7) { false }, scene.keys.generated.map { it.inStrongBox }, "a preferred StrongBox is not insisted on")
        fails(KeyStoreFailure.RETRY_AFTER_NEXT_REBOOT)
        val update = notDone(scene.device.register())
        equal(Problem.SYSTEM_UPDATE_NEEDED to HOUR, update.problem to update.afterMillis)
        scene.time.passes(HOUR)
        done(scene.device.register())
    }
    checks.test("before Android 13 five failures in a row count as a device that cannot attest") {
        val scene = Scene(Settings(strongBox = StrongBox.AVOID))
        val problems = ArrayList<Problem>()
        repeat(5) {
            scene.keys.failuresOfGenerate.add(failure())
            val outcome = notDone(scene.device.register())
            problems.add(outcome.problem)
            scene.time.passes(outcome.afterMillis)
        }
        equal(List(4) { Problem.KEYSTORE_FAILED } + Problem.CANNOT_ATTEST, problems)
        val before = scene.keys.generated.size
        scene.time.passes(DAY - HOUR)
        equal(Problem.CANNOT_ATTEST, notDone(scene.device.register()).problem)
        equal(before, scene.keys.generated.size)
        scene.time.passes(HOUR)
        done(scene.device.register())
    }
    checks.test("a locked device is asked again as soon as it is unlocked") {
        val scene = Scene()
        scene.keys.failuresOfGenerate.add(failure(code = 2, user = true))
        val outcome = notDone(scene.device.register())
        equal(Problem.UNLOCK_NEEDED to 0L, outcome.problem to outcome.afterMillis)
        done(scene.device.register())
    }
    checks.test("a busy keystore is asked five times within milliseconds") {
        val scene = Scene()
        repeat(2) { scene.keys.failuresOfGenerate.add(failure(Kind.BACKEND_BUSY, hint = 700)) }
        done(scene.device.register())
        equal(listOf(700L, 700L), scene.time.pauses.toList())
        val other = Scene()
        repeat(5) { other.keys.failuresOfGenerate.add(failure(Kind.BACKEND_BUSY, hint = Long.MAX_VALUE)) }
        equal(Problem.KEYSTORE_BUSY, notDone(other.device.register()).problem)
        equal(5, other.keys.generated.size)
        holds(other.time.pauses.all { it <= 5_000 }, "${other.time.pauses}")
    }
    checks.test("a keystore that hangs ends the call, and no second call begins before it answers") {
        val scene = Scene(Settings(keystoreMillis = 300))
        val answers = CountDownLatch(1)
        scene.keys.whenGenerating = { answers.await() }
        val outcome = notDone(scene.device.register())
        equal(Problem.KEYSTORE_FAILED to Action.TRY_LATER, outcome.problem to outcome.action)
        scene.time.passes(outcome.afterMillis)
        equal(Problem.KEYSTORE_FAILED, notDone(scene.device.register()).problem)
        equal(1, scene.keys.generated.size)
        answers.countDown()
        scene.time.passes(HOUR)
        done(scene.upload())
        equal(2, scene.keys.generated.size)
    }
    checks.test("a signature that hangs keeps the key") {
        val scene = Scene(Settings(keystoreMillis = 300))
        done(scene.device.register())
        repeat(4) {
            val answers = CountDownLatch(1)
            scene.keys.whenSigning = { answers.await() }
            equal(Problem.KEYSTORE_FAILED, notDone(scene.upload()).problem)
            answers.countDown()
        }
        scene.keys.whenSigning = {}
        done(scene.upload())
        equal(1, scene.keys.generated.size)
    }
    checks.test("a registration whose answer was lost is sent again as it was, also after a restart") {
        val scene = Scene()
        scene.backend.broken.addAll(listOf(null, SocketTimeoutException("late"), ConnectException("down"), null))
        done(scene.device.register())
        equal(3, scene.backend.registrations.size)
        equal(listOf(1_000L, 2_000L), scene.time.pauses.toList())

        val other = Scene()
        other.backend.broken.add(null)
        repeat(5) { other.backend.broken.add(SocketTimeoutException("late")) }
        val outcome = notDone(other.device.register())
        equal(Problem.OFFLINE, outcome.problem)
        holds(outcome.afterMillis >= 30_000, "after ${outcome.afterMillis}")
        other.restart()
        equal(true, done(other.device.register()).isNew)
        equal(1, other.keys.generated.size, "keys")
        equal(1, other.backend.challenges.size, "challenges")
        equal(6, other.backend.registrations.size)
        for (each in other.backend.registrations) {
            equal(other.backend.registrations[0].challenge, each.challenge)
            equal(other.backend.registrations[0].certificates.map { hex(it) }, each.certificates.map { hex(it) })
        }
    }
    checks.test("a challenge that is refused takes another key, twice at most") {
        val scene = Scene()
        scene.backend.toRegistrations.add(says(Action.NEW_CHALLENGE))
        done(scene.device.register())
        equal(2, scene.keys.generated.size)
        val other = Scene()
        repeat(9) { other.backend.toRegistrations.add(says(Action.NEW_CHALLENGE)) }
        equal(Problem.CHALLENGES_REFUSED, notDone(other.device.register()).problem)
        equal(2, other.keys.generated.size)
        equal(Problem.CHALLENGES_REFUSED, notDone(other.device.register()).problem, "within the hour")
        equal(2, other.keys.generated.size)
        other.time.passes(HOUR)
        equal(Problem.TOO_MANY_KEYS, notDone(other.device.register()).problem, "the third key was refused too, and there is no fourth")
        equal(3, other.keys.generated.size)
    }
    checks.test("keys of a day are counted over restarts, and a clock that was ahead does not count longer than a day") {
        val scene = Scene(Settings(keysPerDay = 3))
        repeat(3) {
            done(scene.device.register())
            scene.keys.loseAll()
            scene.restart()
            scene.time.passes(HOUR)
        }
        val outcome = notDone(scene.device.register())
        equal(Problem.TOO_MANY_KEYS to DAY - 3 * HOUR, outcome.problem to outcome.afterMillis)
        scene.time.passes(outcome.afterMillis)
        done(scene.device.register())
        scene.keys.loseAll()
        scene.time.passes(-400 * DAY)                 // the user sets the clock right
        done(scene.device.register())
    }
    checks.test("a refused registration is not tried again within an hour") {
        for ((action, problem) in listOf(Action.GIVE_UP to Problem.REFUSED, Action.CONTACT_SUPPORT to Problem.OPERATOR_NEEDED)) {
            val scene = Scene()
            scene.backend.toRegistrations.add(says(action))
            repeat(20) {
                val outcome = notDone(scene.upload("$it"))
                equal(problem to action, outcome.problem to outcome.action)
            }
            equal(1, scene.keys.generated.size)
            equal(1, scene.backend.registrations.size)
            scene.time.passes(HOUR)
            done(scene.upload())
        }
    }
    checks.test("after a restored backup or a reinstall the missing key is noticed, and another one registered") {
        val scene = Scene()
        done(scene.upload("1"))
        scene.keys.loseAll()
        scene.restart()
        done(scene.upload("2"))
        equal(2, scene.backend.registrations.size)
        holds(!scene.backend.registrations[0].keyId.contentEquals(scene.backend.registrations[1].keyId), "another key")
        equal(scene.backend.registrations[1].keyId, scene.backend.uploads[1].keyId)
    }
    checks.test("a damaged record leads to another key, not to a failure") {
        val scene = Scene()
        done(scene.upload("1"))
        scene.records.change("key-", byteArrayOf(1, 2, 3))
        scene.restart()
        done(scene.upload("2"))
        equal(2, scene.backend.registrations.size)
    }
    checks.test("a full storage stops before a key is made") {
        val scene = Scene()
        scene.records.isFull = true
        val outcome = notDone(scene.device.register())
        equal(Problem.STORAGE_FAILED to Action.TRY_LATER, outcome.problem to outcome.action)
        equal(0, scene.keys.generated.size)
    }
    checks.test("forget removes the key, and keeps count of keys") {
        val scene = Scene(Settings(keysPerDay = 1))
        done(scene.upload("1"))
        scene.device.forget()
        equal(null, scene.keys.publicKey(scene.keys.generated[0].alias))
        equal(emptyList<String>(), scene.records.names("finished-"))
        equal(Problem.TOO_MANY_KEYS, notDone(scene.device.register()).problem)
    }
}

fun uploadTests(checks: Checks) {
    checks.test("a lost answer is asked for with the same bytes: within the call, and by the next call") {
        val scene = Scene()
        done(scene.device.register())
        scene.backend.broken.addAll(listOf(null, SSLHandshakeException("captive portal"), null))
        done(scene.upload("1"))
        equal(2, scene.backend.uploads.size)
        equal(scene.backend.uploads[0].signature, scene.backend.uploads[1].signature)

        scene.backend.broken.add(null)
        repeat(5) { scene.backend.broken.add(SSLHandshakeException("captive portal")) }
        val outcome = notDone(scene.upload("2"))
        equal(Problem.TLS_FAILED, outcome.problem)
        scene.restart()
        done(scene.upload("2"))
        val second = scene.backend.uploads.filter { it.id == "2" }
        equal(6, second.size)
        equal(1, second.map { hex(it.signature) }.distinct().size)
    }
    checks.test("an upload that is called again after it was done sends the same bytes") {
        val scene = Scene()
        done(scene.upload("1"))
        scene.restart()
        scene.backend.toUploads.add(Answer(Action.DONE, Problem.REFUSED, isNew = false))
        equal(false, done(scene.upload("1")).isNew)
        equal(scene.backend.uploads[0].signature, scene.backend.uploads[1].signature)
    }
    checks.test("another payload under the same id is signed by itself") {
        val scene = Scene()
        done(scene.upload("1", "a photo"))
        done(scene.upload("1", "another photo"))
        holds(!scene.backend.uploads[0].challenge.contentEquals(scene.backend.uploads[1].challenge), "another challenge")
    }
    checks.test("the backend's later: pauses of 1, 2, 4 and 8 s, then the app's turn") {
        val scene = Scene()
        done(scene.device.register())
        repeat(5) { scene.backend.toUploads.add(says(Action.TRY_LATER)) }
        val outcome = notDone(scene.upload())
        equal(Problem.BACKEND_BUSY, outcome.problem)
        equal(listOf(1_000L, 2_000L, 4_000L, 8_000L), scene.time.pauses.toList())
        equal(5, scene.backend.uploads.size)
    }
    checks.test("a long Retry-After is the app's to wait for, a short one is waited for") {
        val scene = Scene()
        done(scene.device.register())
        scene.backend.toUploads.add(says(Action.TRY_LATER, 20_000))
        done(scene.upload("1"))
        equal(listOf(22_000L), scene.time.pauses.toList())
        scene.backend.toUploads.add(says(Action.TRY_LATER, 3_600_000))
        val outcome = notDone(scene.upload("2"))
        equal(3_960_000L, outcome.afterMillis)
        equal(1, scene.time.pauses.size)
    }
    checks.test("the time of a call bounds its pauses") {
        val scene = Scene(Settings(callMillis = 2_500))
        repeat(5) { scene.backend.toChallenges.add(says(Action.TRY_LATER)) }
        notDone(scene.upload())
        equal(listOf(1_000L), scene.time.pauses.toList())
    }
    checks.test("a new challenge is signed with the same key, three times at most") {
        val scene = Scene()
        repeat(2) { scene.backend.toUploads.add(says(Action.NEW_CHALLENGE)) }
        done(scene.upload("1"))
        equal(3, scene.backend.uploads.map { hex(it.challenge) }.distinct().size)
        equal(1, scene.backend.registrations.size)
        repeat(3) { scene.backend.toUploads.add(says(Action.NEW_CHALLENGE)) }
        equal(Problem.CHALLENGES_REFUSED, notDone(scene.upload("2")).problem)
        equal(6, scene.backend.uploads.size)
    }
    checks.test("a device that the backend does not know registers another key, once a day") {
        val scene = Scene()
        done(scene.device.register())
        scene.backend.toUploads.add(says(Action.NEW_KEY))
        done(scene.upload("1"))
        equal(2, scene.backend.registrations.size)
        equal(scene.backend.registrations[1].keyId, scene.backend.uploads[1].keyId)
        scene.time.passes(HOUR)
        repeat(2) {
            scene.backend.toUploads.add(says(Action.NEW_KEY))
            val outcome = notDone(scene.upload("2"))
            equal(Problem.TOO_MANY_KEYS to DAY - HOUR, outcome.problem to outcome.afterMillis)
        }
        equal(2, scene.backend.registrations.size)
        scene.time.passes(DAY)
        scene.backend.toUploads.add(says(Action.NEW_KEY))
        done(scene.upload("3"))
        equal(3, scene.backend.registrations.size)
    }
    checks.test("an old signature that is refused does not cost the key that took its place") {
        val scene = Scene()
        done(scene.device.register())
        scene.backend.broken.add(null)
        repeat(5) { scene.backend.broken.add(ConnectException("down")) }
        notDone(scene.upload("1"))
        scene.keys.loseAll()
        scene.backend.toUploads.add(says(Action.NEW_KEY))      // to the old key's signature
        done(scene.upload("1"))
        equal(2, scene.backend.registrations.size)
        equal(2, scene.keys.generated.size)
    }
    checks.test("an invalidated key leads to another key, its registration, and the upload") {
        for (each in listOf(failure(Kind.KEY_UNUSABLE), failure(Kind.KEY_MISSING), failure(code = 7, system = false), failure(code = 6))) {
            val scene = Scene()
            done(scene.device.register())
            scene.keys.failuresOfSign.add(each)
            done(scene.upload())
            equal(2, scene.backend.registrations.size)
            equal(scene.backend.registrations[1].keyId, scene.backend.uploads[0].keyId)
        }
    }
    checks.test("a keystore that loses every key does not make keys without end") {
        val scene = Scene()
        repeat(100) { scene.keys.failuresOfSign.add(failure(Kind.KEY_UNUSABLE)) }
        equal(Problem.KEYSTORE_FAILED, notDone(scene.upload("1")).problem)
        repeat(20) { notDone(scene.upload("$it")) }
        equal(3, scene.keys.generated.size)
    }
    checks.test("a signature that fails for a reason that may pass is for later; the third in a row counts as a lost key") {
        val scene = Scene()
        done(scene.device.register())
        repeat(4) {
            scene.keys.failuresOfSign.add(failure(code = 10, transient = true, policy = 2))
            equal(Problem.KEYSTORE_FAILED, notDone(scene.upload()).problem)
        }
        repeat(2) {
            scene.keys.failuresOfSign.add(failure())
            equal(Problem.KEYSTORE_FAILED, notDone(scene.upload()).problem)
            scene.restart()
        }
        equal(1, scene.keys.generated.size)
        scene.keys.failuresOfSign.add(failure())
        done(scene.upload())
        equal(2, scene.keys.generated.size)
    }
    checks.test("a locked device and a busy keystore keep the key") {
        val scene = Scene()
        done(scene.device.register())
        scene.keys.failuresOfSign.add(failure(Kind.USER_NOT_AUTHENTICATED))
        equal(Problem.UNLOCK_NEEDED, notDone(scene.upload()).problem)
        repeat(4) { scene.keys.failuresOfSign.add(failure(code = 15, transient = true, policy = 2)) }
        done(scene.upload())
        repeat(5) { scene.keys.failuresOfSign.add(failure(Kind.BACKEND_BUSY, hint = 20)) }
        equal(Problem.KEYSTORE_BUSY, notDone(scene.upload("2")).problem)
        equal(1, scene.keys.generated.size)
    }
    checks.test("an ended session is the user's, and what was signed waits") {
        val scene = Scene()
        scene.backend.toUploads.add(says(Action.SIGN_IN))
        equal(Action.SIGN_IN, notDone(scene.upload()).action)
        done(scene.upload())
        equal(1, scene.backend.uploads.map { hex(it.signature) }.distinct().size)
        val other = Scene()
        other.backend.toRegistrations.add(says(Action.SIGN_IN))
        equal(Action.SIGN_IN, notDone(other.upload()).action)
        done(other.upload())
        equal(1, other.keys.generated.size)
    }
    checks.test("a refused upload is given up, and the device stays registered") {
        val scene = Scene()
        scene.backend.toUploads.add(says(Action.GIVE_UP))
        equal(Problem.REFUSED, notDone(scene.upload("1")).problem)
        done(scene.upload("2"))
        equal(1, scene.backend.registrations.size)
    }
    checks.test("a payload that cannot be read is given up before a key is made") {
        val scene = Scene()
        val outcome = notDone(scene.device.upload("1", Payload(5) { throw IOException("gone") }))
        equal(Problem.PAYLOAD_UNREADABLE to Action.GIVE_UP, outcome.problem to outcome.action)
        equal(0, scene.backend.challenges.size)
    }
    checks.test("kept signatures are bounded in number") {
        val scene = Scene()
        repeat(250) { done(scene.upload("$it")) }
        equal(200, scene.records.names("finished-").size)
        equal(0, scene.records.names("waiting-").size)
    }
}

fun sharingTests(checks: Checks) {
    checks.test("twenty threads that need a registration share one") {
        val scene = Scene()
        scene.keys.whenGenerating = { othersWait(19) }
        inParallel(20) { scene.upload("$it") }.forEach { done(it) }
        equal(1, scene.keys.generated.size)
        equal(1, scene.backend.registrations.size)
        equal(20, scene.backend.uploads.map { it.id }.distinct().size)
    }
    checks.test("threads share a registration's failure, too") {
        val scene = Scene()
        scene.backend.broken.addAll(listOf(null) + List(5) { ConnectException("down") })
        var isFirst = true
        scene.backend.whenRegistering = {
            if (isFirst) othersWait(7)
            isFirst = false
        }
        inParallel(8) { scene.device.register() }.forEach { equal(Problem.OFFLINE, notDone(it).problem) }
        equal(1, scene.keys.generated.size)
        equal(5, scene.backend.registrations.size)
    }
    checks.test("threads that are told to register again at once make one key") {
        val scene = Scene()
        done(scene.upload("first"))
        val forgotten = scene.backend.uploads[0].keyId
        scene.backend.judging = { if (it.keyId.contentEquals(forgotten)) says(Action.NEW_KEY) else null }
        val barrier = CyclicBarrier(6)
        inParallel(6) {
            barrier.await()
            scene.upload("$it")
        }.forEach { done(it) }
        equal(2, scene.keys.generated.size)
    }
    checks.test("two calls with one id send one signature") {
        val scene = Scene()
        done(scene.device.register())
        val barrier = CyclicBarrier(4)
        inParallel(4) {
            barrier.await()
            scene.upload("same")
        }.forEach { done(it) }
        equal(1, scene.backend.uploads.map { hex(it.signature) }.distinct().size)
    }
    checks.test("an interrupted thread ends, and a waiting one takes over") {
        val scene = Scene()
        val began = CountDownLatch(1)
        var isFirst = true
        scene.backend.whenRegistering = {
            if (isFirst) {
                isFirst = false
                began.countDown()
                try { Thread.sleep(30_000) } catch (error: InterruptedException) { throw InterruptedIOException("interrupted") }
            }
        }
        var thrown: Throwable? = null
        val first = Thread { try { scene.device.register() } catch (error: Throwable) { thrown = error } }
        first.start()
        holds(began.await(20, TimeUnit.SECONDS), "the first began")
        var second: Outcome? = null
        val waiting = Thread { second = scene.device.register() }
        waiting.start()
        while (waiting.state != Thread.State.WAITING) Thread.sleep(5)
        first.interrupt()
        first.join()
        waiting.join()
        holds(thrown is InterruptedException, "$thrown")
        done(second!!)
        equal(1, scene.keys.generated.size)
    }
    checks.test("an exception of the app's own backend leaves nothing locked") {
        val scene = Scene()
        var isFirst = true
        scene.backend.whenRegistering = { if (isFirst) { isFirst = false; throw IllegalStateException("a mistake of the app") } }
        throws<IllegalStateException> { scene.upload() }
        done(scene.upload())
    }
}

/** Until so many threads of [inParallel] wait for another one. */
private fun othersWait(count: Int) {
    val end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20)
    while (Thread.getAllStackTraces().keys.count { it.name.startsWith("parallel") && it.state == Thread.State.WAITING } < count) {
        holds(System.nanoTime() < end, "$count threads wait")
        Thread.sleep(5)
    }
}

private fun <Value> inParallel(count: Int, work: (Int) -> Value): List<Value> {
    val results = arrayOfNulls<Any>(count)
    val threads = (0 until count).map { number -> Thread({ results[number] = try { work(number) } catch (error: Throwable) { error } }, "parallel $number") }
    threads.forEach { it.start() }
    threads.forEach { it.join() }
    results.forEach { if (it is Throwable) throw it }
    @Suppress("UNCHECKED_CAST")
    return results.toList() as List<Value>
}

fun integrityTests(checks: Checks) {
    class Tokens(vararg codes: Int, override val isOptional: Boolean = false) : IntegrityTokens {
        val failures = ArrayDeque(codes.toList())
        val bindings = ArrayList<IntegrityBinding>()
        var prepared = 0

        override fun token(binding: IntegrityBinding): String {
            bindings.add(binding)
            failures.removeFirstOrNull()?.let { throw IntegrityFailure(it) }
            return "token ${bindings.size}"
        }

        override fun prepare() {
            prepared += 1
        }
    }
    checks.test("a token is bound to the challenge and the attested key") {
        val tokens = Tokens()
        val scene = Scene(tokens = tokens)
        done(scene.device.register())
        val sent = scene.backend.registrations[0]
        equal("token 1", sent.integrityToken)
        val data = ClientData.of(Act.REGISTER, sent.challenge, sha256(sent.keyId))
        equal(data, java.util.Base64.getUrlDecoder().decode(tokens.bindings[0].nonce))
        equal(sha256(data), java.util.Base64.getUrlDecoder().decode(tokens.bindings[0].requestHash))
        equal(43, tokens.bindings[0].requestHash.length)
    }
    checks.test("a repeated registration has the same token") {
        val tokens = Tokens()
        val scene = Scene(tokens = tokens)
        scene.backend.broken.addAll(listOf(null) + List(5) { ConnectException("down") })
        notDone(scene.device.register())
        scene.restart()
        done(scene.device.register())
        equal(listOf("token 1"), scene.backend.registrations.map { it.integrityToken }.distinct())
    }
    checks.test("each error of Play Integrity has its action") {
        for ((code, problem) in mapOf(
            -1 to Problem.TOKEN_IMPOSSIBLE, -2 to Problem.TOKEN_NEEDS_USER, -4 to Problem.TOKEN_NEEDS_USER, -5 to Problem.TOKEN_IMPOSSIBLE,
            -6 to Problem.TOKEN_NEEDS_USER, -7 to Problem.TOKEN_IMPOSSIBLE, -8 to Problem.TOKEN_LATER, -9 to Problem.TOKEN_NEEDS_USER,
            -10 to Problem.TOKEN_IMPOSSIBLE, -11 to Problem.TOKEN_IMPOSSIBLE, -13 to Problem.TOKEN_IMPOSSIBLE, -14 to Problem.TOKEN_NEEDS_USER,
            -15 to Problem.TOKEN_NEEDS_USER, -16 to Problem.TOKEN_IMPOSSIBLE, -12345 to Problem.TOKEN_IMPOSSIBLE,
        )) {
            val scene = Scene(tokens = Tokens(code))
            equal(problem, notDone(scene.device.register()).problem, "$code")
            equal(0, scene.backend.registrations.size)
            done(scene.device.register())
            equal(1, scene.keys.generated.size, "keys after $code")
        }
    }
    checks.test("errors that pass are tried again after 5, 10 and 20 s, and then later") {
        for (code in listOf(-3, -12, -17, -18, -100)) {
            val scene = Scene(tokens = Tokens(code, code, code))
            done(scene.device.register())
            equal(listOf(5_000L, 10_000L, 20_000L), scene.time.pauses.toList())
            val other = Scene(tokens = Tokens(code, code, code, code))
            equal(Problem.TOKEN_LATER, notDone(other.device.register()).problem)
        }
    }
    checks.test("a provider that expired is prepared once") {
        val tokens = Tokens(-19)
        done(Scene(tokens = tokens).device.register())
        equal(1, tokens.prepared)
        val others = Tokens(-19, -19, -19)
        equal(Problem.TOKEN_LATER, notDone(Scene(tokens = others).device.register()).problem)
        equal(1, others.prepared)
    }
    checks.test("an optional token that cannot be had is left out") {
        val scene = Scene(tokens = Tokens(-1, isOptional = true))
        done(scene.device.register())
        equal(null, scene.backend.registrations[0].integrityToken)
    }
}
