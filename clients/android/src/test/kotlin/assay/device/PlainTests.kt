package assay.device

import assay.device.KeyStoreDecision.Step
import assay.device.KeyStoreFailure.Kind
import java.io.File
import java.io.IOException

private fun unhex(text: String) = ByteArray(text.length / 2) { text.substring(2 * it, 2 * it + 2).toInt(16).toByte() }

fun clientDataTests(checks: Checks, vectors: File) {
    checks.test("client data is that of every vector of the documentation with a payload") {
        val each = Regex(
            "\"purpose\": \"(register|assert)\",\\s*\"challenge_hex\": \"([0-9a-f]*)\",\\s*\"payload_hex\": \"([0-9a-f]*)\",\\s*\"client_data_hex\": \"([0-9a-f]*)\""
        )
        var seen = 0
        for (match in each.findAll(vectors.readText())) {
            val (purpose, challenge, payload, expected) = match.destructured
            val act = if (purpose == "register") Act.REGISTER else Act.UPLOAD
            equal(expected, hex(ClientData.of(act, unhex(challenge), sha256(unhex(payload)))), purpose)
            seen += 1
        }
        holds(seen >= 4, "only $seen vectors were found in $vectors")
    }
    checks.test("a challenge of another length is the caller's mistake") {
        for (size in listOf(0, 53, 55)) throws<IllegalArgumentException> { ClientData.of(Act.UPLOAD, ByteArray(size), ByteArray(32)) }
    }
}

fun backOffTests(checks: Checks) {
    checks.test("pauses are 1 s, doubled, at most 30 s, and 20 % more or less") {
        for ((chance, expected) in listOf(
            0.0 to listOf(800L, 1600L, 3200L, 6400L, 12800L, 24000L, 24000L),
            0.5 to listOf(1000L, 2000L, 4000L, 8000L, 16000L, 30000L, 30000L),
            1.0 to listOf(1200L, 2400L, 4800L, 9600L, 19200L, 36000L, 36000L),
        )) equal(expected, (1..7).map { BackOff.pause(it, null, FakeTime(chance = chance)) }, "chance $chance")
    }
    checks.test("a pause is never shorter than the backend asks for, and up to 20 % longer") {
        equal(10_000L, BackOff.pause(1, 10_000, FakeTime(chance = 0.0)))
        equal(12_000L, BackOff.pause(1, 10_000, FakeTime(chance = 1.0)))
        equal(16_000L, BackOff.pause(5, 10, FakeTime()))
        equal(30_000L, BackOff.pause(1_000_000, null, FakeTime()))
    }
    checks.test("Retry-After is digits or a date; anything else is ignored") {
        val now = 784_111_777_000L      // Sun, 06 Nov 1994 08:49:37 GMT
        for ((text, expected) in listOf(
            "5" to 5_000L, " 7 " to 7_000L, "0" to 0L, "999999999" to 999_999_999_000L, "1000000000" to null, "" to null, "-1" to null,
            "1.5" to null, "٣" to null, "soon" to null, "Sun, 06 Nov 1994 08:49:38 GMT" to 1_000L,
            "Sun, 06 Nov 1994 08:49:00 GMT" to 0L, "Sunday, 06-Nov-94 08:49:37 GMT" to null, "Sun, 99 Nov 1994 08:49:37 GMT" to null,
        )) equal(expected, BackOff.retryAfter(text, now), "\"$text\"")
        equal(null, BackOff.retryAfter(null, now))
    }
}

fun answerTests(checks: Checks) {
    fun read(status: Int, body: String) = AnswerReader.verdict(status, null, body.toByteArray())
    checks.test("every word of the handlers and every retry class of the daemon has its action") {
        for ((word, action) in mapOf(
            "later" to Action.TRY_LATER, "new_challenge" to Action.NEW_CHALLENGE, "register" to Action.NEW_KEY,
            "re_attest" to Action.NEW_KEY, "give_up" to Action.GIVE_UP, "never" to Action.GIVE_UP,
            "contact_operator" to Action.CONTACT_SUPPORT, "RETRY_CLASS_RE_ATTEST" to Action.NEW_KEY,
        )) for (status in listOf(200, 403, 409, 503)) {
            equal(action, read(status, "{\"then\": \"$word\"}").action, "$status $word as JSON")
            equal(action, read(status, "$word\n").action, "$status $word as text")
        }
        equal(Action.DONE, read(201, "{\"then\":\"done\",\"id\":7}").action)
        equal(true, read(201, "done").isNew)
        equal(false, read(200, "done").isNew)
        equal(Action.DONE, read(204, "").action)
    }
    checks.test("without a known word the status decides, and a success is never guessed") {
        for ((status, action) in mapOf(
            400 to Action.GIVE_UP, 403 to Action.GIVE_UP, 404 to Action.GIVE_UP, 413 to Action.GIVE_UP, 409 to Action.NEW_CHALLENGE,
            410 to Action.NEW_KEY, 401 to Action.SIGN_IN, 408 to Action.TRY_LATER, 429 to Action.TRY_LATER, 500 to Action.TRY_LATER,
            502 to Action.TRY_LATER, 503 to Action.TRY_LATER, 504 to Action.TRY_LATER,
        )) for (body in listOf("", "<html>", "{\"then\": 5}", "{\"error\": \"done\"}", "{broken")) equal(action, read(status, body).action, "$status $body")
        for (body in listOf("<html>Sign in to the Wi-Fi</html>", "{}", "{\"then\":\"perhaps\"}", "{\"then\":\"done\"", "x".repeat(70_000))) {
            for (status in listOf(200, 201, 302)) {
                val answer = read(status, body)
                equal(Action.TRY_LATER, answer.action, "$status ${body.take(20)}")
                equal(Problem.ANSWER_UNREADABLE, answer.problem)
            }
        }
        equal(Action.TRY_LATER, read(500, "done").action)
        equal(Problem.ANSWER_UNREADABLE, read(403, "done").problem)
        equal(Action.TRY_LATER, AnswerReader.verdict(200, null, null).action)
        equal(Action.TRY_LATER, AnswerReader.verdict(200, null, byteArrayOf(-1, -2)).action)
        equal(Action.SIGN_IN, read(401, "{\"then\":\"give_up\"}").action)
    }
    checks.test("a challenge is 54 bytes in either alphabet of Base64, as JSON or as the whole body") {
        val bytes = ByteArray(54) { (it * 5 - 9).toByte() }
        val standard = java.util.Base64.getEncoder().encodeToString(bytes)
        val url = java.util.Base64.getUrlEncoder().withoutPadding().encodeToString(bytes)
        for (text in listOf("{\"challenge\":\"$standard\",\"expires\":[1,{\"a\":null}]}", standard, url)) {
            equal(bytes, AnswerReader.challenge(200, null, text.toByteArray()).challenge, text)
        }
        for (text in listOf("", "{}", "{\"challenge\":7}", "{\"challenge\":\"${standard.dropLast(4)}\"}", "{\"challenge\":\"$standard$standard\"}", "done", "<html>")) {
            val answer = AnswerReader.challenge(200, null, text.toByteArray())
            equal(null, answer.challenge, text)
            equal(Problem.ANSWER_UNREADABLE, answer.problem, text)
        }
        equal(Action.TRY_LATER, AnswerReader.challenge(503, 5_000, "{\"then\":\"later\"}".toByteArray()).action)
        equal(Action.SIGN_IN, AnswerReader.challenge(401, null, ByteArray(0)).action)
        equal(Action.GIVE_UP, AnswerReader.challenge(403, null, "never".toByteArray()).action)
    }
    checks.test("JSON is read strictly, and its depth is bounded") {
        equal(mapOf("a" to "b\n\u00e9\"", "c" to ""), JsonObject.texts(" {\"a\": \"b\\n\\u00e9\\\"\", \"n\": -1.5e3, \"x\": [true, {\"q\":[]}], \"c\":\"\"} "))
        for (text in listOf(
            "", "{", "[]", "{}x", "{\"a\":\"b\",}", "{\"a\":\"b\" \"c\":1}", "{\"a\":01}", "{\"a\":\"b\",\"a\":\"c\"}", "{\"a\":\"\\x\"}", "{\"a\":\"\\u12\"}",
            "{\"a\":\"\n\"}", "{\"a\":nul}", "{a:1}", "{\"a\":" + "[".repeat(10_000), "{\"a\":" + "{\"a\":".repeat(10_000), "{\"a\":1e}", "{\"a\":+1}",
        )) equal(null, JsonObject.texts(text), text.take(40))
        val odd = "a\"b\\c\nd\u2028\uD800e"
        equal(mapOf("a" to odd), JsonObject.texts("{\"a\":${JsonObject.quoted(odd)}}"))
    }
}

fun decisionTests(checks: Checks) {
    val box = KeyRequest("a", ByteArray(93), inStrongBox = true, withDeviceProperties = false)
    val tee = KeyRequest("a", ByteArray(93), inStrongBox = false, withDeviceProperties = false)
    val withProperties = KeyRequest("a", ByteArray(93), inStrongBox = false, withDeviceProperties = true)

    fun generating(failure: KeyStoreFailure, request: KeyRequest, wanted: StrongBox = StrongBox.PREFER) =
        KeyStoreDecision.generating(failure, request, wanted).let { it.step to it.problem }

    checks.test("each failure of generateKeyPair has its step") {
        val permanent = Step.IMPOSSIBLE to Problem.CANNOT_ATTEST
        val rows: List<Triple<KeyStoreFailure, KeyRequest, Pair<Step, Problem>>> = listOf(
            Triple(failure(Kind.STRONGBOX_UNAVAILABLE), box, Step.WITHOUT_STRONGBOX to Problem.CANNOT_ATTEST),
            Triple(failure(Kind.STRONGBOX_UNAVAILABLE, code = 12), box, Step.WITHOUT_STRONGBOX to Problem.CANNOT_ATTEST),
            Triple(failure(), box, Step.WITHOUT_STRONGBOX to Problem.KEYSTORE_FAILED),
            Triple(failure(), tee, Step.LATER to Problem.KEYSTORE_FAILED),
            Triple(failure(Kind.BACKEND_BUSY, hint = 15), tee, Step.AGAIN to Problem.KEYSTORE_BUSY),
            Triple(failure(code = 15, transient = true), tee, Step.AGAIN to Problem.KEYSTORE_BUSY),
            Triple(failure(Kind.USER_NOT_AUTHENTICATED), tee, Step.LATER to Problem.UNLOCK_NEEDED),
            Triple(failure(code = 2, user = true), tee, Step.LATER to Problem.UNLOCK_NEEDED),
            Triple(failure(code = 16, transient = true, policy = 2), tee, Step.LATER to Problem.PROVISIONING_LATER),
            Triple(failure(code = 16, transient = true, policy = 3), tee, Step.LATER to Problem.PROVISIONING_OFFLINE),
            Triple(failure(code = 16, transient = true, policy = 4), tee, Step.LATER to Problem.SYSTEM_UPDATE_NEEDED),
            Triple(failure(code = 17, transient = true, policy = 4), tee, Step.LATER to Problem.SYSTEM_UPDATE_NEEDED),
            Triple(failure(code = 16), tee, permanent),
            Triple(failure(code = 16), box, Step.WITHOUT_STRONGBOX to Problem.CANNOT_ATTEST),
            Triple(failure(code = 8), withProperties, Step.WITHOUT_PROPERTIES to Problem.CANNOT_ATTEST),
            Triple(failure(code = 8), tee, permanent),
            Triple(failure(code = 10, transient = true, policy = 2), box, Step.LATER to Problem.KEYSTORE_FAILED),
            Triple(failure(code = 10), box, Step.WITHOUT_STRONGBOX to Problem.CANNOT_ATTEST),
        ) + listOf(1, 3, 4, 5, 9, 10, 11, 12, 13).map { Triple(failure(code = it), tee, permanent) }
        for ((failure, request, expected) in rows) {
            equal(expected, generating(failure, request), "${failure.kind} ${failure.details?.code} box=${request.inStrongBox}")
        }
    }
    checks.test("a required StrongBox is not given up for the TEE") {
        equal(Step.IMPOSSIBLE to Problem.STRONGBOX_MISSING, generating(failure(Kind.STRONGBOX_UNAVAILABLE), box, StrongBox.REQUIRE))
        equal(Step.IMPOSSIBLE to Problem.STRONGBOX_MISSING, generating(failure(code = 10), box, StrongBox.REQUIRE))
        equal(Step.LATER to Problem.KEYSTORE_FAILED, generating(failure(), box, StrongBox.REQUIRE))
    }
    checks.test("each failure of a signature has its step") {
        for ((failure, expected) in listOf(
            failure(Kind.KEY_MISSING) to Step.NEW_KEY, failure(Kind.KEY_UNUSABLE) to Step.NEW_KEY, failure(code = 6) to Step.NEW_KEY,
            failure(code = 7, system = false) to Step.NEW_KEY, failure(code = 14, system = false) to Step.NEW_KEY,
            failure(code = 13, system = false) to Step.NEW_KEY, failure(code = 10, system = true) to Step.LATER,
            failure(code = 10, transient = true, policy = 2) to Step.LATER, failure() to Step.LATER,
            failure(Kind.BACKEND_BUSY) to Step.AGAIN, failure(code = 15, transient = true, policy = 2) to Step.AGAIN,
            failure(Kind.USER_NOT_AUTHENTICATED) to Step.LATER, failure(code = 2, system = false, user = true) to Step.LATER,
        )) equal(expected, KeyStoreDecision.signing(failure).step, "${failure.kind} ${failure.details?.code}")
        equal(Problem.UNLOCK_NEEDED, KeyStoreDecision.signing(failure(code = 2, system = false, user = true)).problem)
    }
    checks.test("chains of broken keystores are noticed, and others are left to the daemon") {
        val data = ByteArray(93) { it.toByte() }
        val good = byteArrayOf(48, 1) + data + byteArrayOf(3)
        equal(null, AttestationChain.fault(listOf(good, byteArrayOf(48)), data))
        for ((chain, word) in listOf(
            null to "no certificate chain", emptyList<ByteArray>() to "ends after 0", listOf(good) to "ends after 1",
            listOf(good, ByteArray(0)) to "empty", listOf(byteArrayOf(48, 1), byteArrayOf(48)) to "attestation challenge",
            listOf(good, ByteArray(65_536)) to "bytes", listOf(good.copyOf(60), byteArrayOf(48)) to "attestation challenge",
        )) holds(AttestationChain.fault(chain, data)?.contains(word) == true, "$word: ${AttestationChain.fault(chain, data)}")
    }
}

fun recordTests(checks: Checks, folder: File) {
    checks.test("files are records: written whole, the oldest first, and nothing of what cannot be read") {
        val records = FileRecords(File(folder, "records/deep"))
        equal(null, records.read("a"))
        equal(emptyList<String>(), records.names(""))
        records.write("key-a", byteArrayOf(1))
        records.write("key-a", byteArrayOf(2, 3))
        records.write("key-b", byteArrayOf(4))
        File(folder, "records/deep/key-b").setLastModified(1_000_000)
        equal(byteArrayOf(2, 3), records.read("key-a"))
        equal(listOf("key-b", "key-a"), records.names("key-"))
        equal(2, File(folder, "records/deep").list()!!.size, "files, without temporary ones")
        records.remove("key-a")
        equal(null, records.read("key-a"))
        throws<IOException> { FileRecords(File(folder, "records/deep/key-b")).write("x", ByteArray(1)) }
        File(folder, "records/deep/big").writeBytes(ByteArray(300 * 1024))
        equal(null, records.read("big"))
    }
    checks.test("a record comes back as it was, and a damaged one is an empty one") {
        val record = DeviceRecord(
            DeviceRecord.State.SENT, ByteArray(32) { 1 }, ByteArray(54) { 2 }, "a.token=", listOf(5, 6), 9, 3,
            DeviceRecord.Pause(Problem.CANNOT_ATTEST, 7, 8),
        )
        val read = DeviceRecord.read(record.written())
        equal(String(record.written()), String(read.written()))
        equal("a.token=", read.token)
        equal(listOf(5L, 6L), read.keysMade)
        val whole = record.written()
        for (length in whole.indices) DeviceRecord.read(whole.copyOf(length))
        for (damaged in listOf("", "assay.device 2\nstate=SENT\n", "assay.device 1\nstate=SENT\n", "assay.device 1\nstate=X\n", "assay.device 1\nstate=REGISTERED\nkey=zz\n")) {
            equal(DeviceRecord.State.NO_KEY, DeviceRecord.read(damaged.toByteArray()).state, damaged)
        }
    }
}

fun payloadTests(checks: Checks, folder: File) {
    checks.test("a payload is read in pieces, and one that changed is unreadable") {
        val bytes = ByteArray(200_001) { (it * 31).toByte() }
        val file = File(folder, "payload").apply { writeBytes(bytes) }
        equal(sha256(bytes), Payload.of(bytes).sha256())
        val payload = Payload.of(file)
        equal(sha256(bytes), payload.sha256())
        val counts = ArrayList<Int>()
        payload.read { _, count -> counts.add(count) }
        holds(counts.dropLast(1).all { it % 3 == 0 } && counts.sum() == bytes.size, "$counts")
        file.writeBytes(bytes.copyOf(100))
        throws<Payload.Unreadable> { payload.sha256() }
        file.writeBytes(bytes + 1)
        throws<Payload.Unreadable> { payload.sha256() }
        file.delete()
        throws<Payload.Unreadable> { payload.sha256() }
        equal(sha256(ByteArray(0)), Payload.of(ByteArray(0)).sha256())
    }
}
