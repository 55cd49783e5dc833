package assay.device

import java.io.ByteArrayOutputStream
import java.io.IOException
import java.io.InputStream
import java.io.OutputStream
import java.net.ConnectException
import java.net.InetAddress
import java.net.ServerSocket
import java.net.SocketTimeoutException
import java.util.Base64
import java.util.concurrent.CopyOnWriteArrayList
import kotlin.concurrent.thread

/** Answers every request with the bytes that a test wrote. */
private class ScriptedServer(private val answer: (OutputStream) -> Unit) : AutoCloseable {
    val heads = CopyOnWriteArrayList<String>()
    val bodies = CopyOnWriteArrayList<String>()
    private val socket = ServerSocket(0, 50, InetAddress.getLoopbackAddress())
    val address = "http://127.0.0.1:${socket.localPort}"

    private val acceptor = thread(isDaemon = true) {
        while (true) {
            val connection = try { socket.accept() } catch (error: IOException) { break }
            thread(isDaemon = true) {
                try {
                    connection.use {
                        val input = it.getInputStream().buffered()
                        val head = head(input)
                        val length = Regex("(?i)content-length: (\\d+)").find(head)?.groupValues?.get(1)?.toInt() ?: 0
                        bodies.add(String(input.readNBytes(length)))
                        heads.add(head)
                        answer(it.getOutputStream())
                    }
                } catch (error: IOException) {
                    // The client ended the connection.
                }
            }
        }
    }

    private fun head(input: InputStream): String {
        val bytes = ByteArrayOutputStream()
        while (!bytes.toString().endsWith("\r\n\r\n")) {
            val next = input.read()
            if (next < 0) throw IOException("no request")
            bytes.write(next)
        }
        return bytes.toString()
    }

    /** The port takes connections until the thread that waits for one has ended. */
    override fun close() {
        socket.close()
        acceptor.join()
    }
}

private fun text(status: Int, body: String, fields: String = ""): (OutputStream) -> Unit = {
    it.write("HTTP/1.1 $status X\r\n${fields}Content-Length: ${body.length}\r\nConnection: close\r\n\r\n$body".toByteArray())
}

private fun backend(server: ScriptedServer, headers: () -> Map<String, String> = { emptyMap() }) =
    HttpBackend(server.address + "/api/", HttpBackend.Options(allowsCleartext = true, readTimeoutMillis = 2_000), headers)

fun httpTests(checks: Checks) {
    val challenge = Base64.getEncoder().encodeToString(ByteArray(54) { 3 })
    checks.test("requests are those that the documented handlers read") {
        ScriptedServer(text(200, "{\"challenge\":\"$challenge\",\"then\":\"done\"}")).use { server ->
            val backend = backend(server) { mapOf("Authorization" to "Bearer abc") }
            equal(ByteArray(54) { 3 }, backend.challenge(Act.REGISTER).challenge)
            equal(Action.DONE, backend.register(Registration(byteArrayOf(1), listOf(byteArrayOf(2), byteArrayOf(3)), byteArrayOf(4), null)).action)
            backend.register(Registration(byteArrayOf(1), listOf(byteArrayOf(2)), byteArrayOf(4), "a \"token\""))
            val photo = ByteArray(150_000) { (it * 7).toByte() }
            for (size in listOf(0, 1, 2, 3, 49_151, 49_152, 49_153, 150_000)) {
                val upload = SignedUpload("id \"1\"", byteArrayOf(1), byteArrayOf(4), byteArrayOf(5), ByteArray(32))
                equal(Action.DONE, backend.upload(upload, Payload.of(photo.copyOf(size))).action, "$size bytes")
                val sent = Base64.getEncoder().encodeToString(photo.copyOf(size))
                equal("{\"upload_id\":\"id \\\"1\\\"\",\"challenge\":\"AQ==\",\"key_id\":\"BA==\",\"signature\":\"BQ==\",\"photo\":\"$sent\"}", server.bodies.last())
            }
            equal("{\"for\":\"register\"}", server.bodies[0])
            equal("{\"challenge\":\"AQ==\",\"key_id\":\"BA==\",\"certificates\":[\"Ag==\",\"Aw==\"]}", server.bodies[1])
            holds(server.bodies[2].endsWith(",\"integrity_token\":\"a \\\"token\\\"\"}"), server.bodies[2])
            equal(listOf("POST /api/challenges", "POST /api/devices", "POST /api/devices", "POST /api/uploads"), server.heads.take(4).map { it.substringBefore(" HTTP") })
            holds(server.heads.all { it.contains("Authorization: Bearer abc") && it.contains("Content-Type: application/json") }, server.heads[0])
        }
    }
    checks.test("a refusal, a Retry-After, and 401 with a challenge for credentials are read") {
        ScriptedServer(text(503, "{\"then\":\"later\"}", "Retry-After: 7\r\n")).use {
            val answer = backend(it).challenge(Act.UPLOAD)
            equal(Action.TRY_LATER to 7_000L, answer.action to answer.retryAfterMillis)
        }
        ScriptedServer(text(401, "", "WWW-Authenticate: Basic realm=x\r\n")).use { equal(Action.SIGN_IN, backend(it).challenge(Act.UPLOAD).action) }
        ScriptedServer(text(403, "contact_operator")).use { equal(Action.CONTACT_SUPPORT, backend(it).challenge(Act.UPLOAD).action) }
    }
    checks.test("redirects are not followed") {
        ScriptedServer(text(302, "", "Location: /elsewhere\r\n")).use {
            equal(Problem.ANSWER_UNREADABLE, backend(it).challenge(Act.UPLOAD).problem)
            equal(1, it.heads.size)
        }
    }
    checks.test("an endless answer is not read to its end") {
        var written = 0L
        val server = ScriptedServer {
            it.write("HTTP/1.1 200 X\r\nConnection: close\r\n\r\n".toByteArray())
            val piece = ByteArray(65_536) { 'x'.code.toByte() }
            while (written < 1L shl 30) {
                it.write(piece)
                written += piece.size
            }
        }
        server.use { equal(Problem.ANSWER_UNREADABLE, backend(it).challenge(Act.UPLOAD).problem) }
        holds(written < 64L shl 20, "$written bytes were taken")
    }
    checks.test("what is no HTTP, is cut, or does not come, is no answer") {
        ScriptedServer { it.write("SSH-2.0-OpenSSH_9.2\r\n".toByteArray()) }.use { server -> throws<IOException> { backend(server).challenge(Act.UPLOAD) } }
        ScriptedServer { it.write("HTTP/1.1 200 X\r\nContent-Length: 90\r\n\r\nshort".toByteArray()) }.use { server ->
            val answer = try { backend(server).challenge(Act.UPLOAD) } catch (error: IOException) { null }
            holds(answer == null || answer.problem == Problem.ANSWER_UNREADABLE, "a cut answer is not taken")
        }
        ScriptedServer { Thread.sleep(600_000) }.use { server -> throws<SocketTimeoutException> { backend(server).challenge(Act.UPLOAD) } }
        val gone = ScriptedServer { }.also { it.close() }
        throws<ConnectException> { backend(gone).challenge(Act.UPLOAD) }
    }
    checks.test("a payload that changed on the way is the payload's fault, not the network's") {
        ScriptedServer(text(200, "done")).use { server ->
            val scene = Scene()
            val device = AttestedDevice("alice", object : Backend by scene.backend {
                override fun upload(upload: SignedUpload, payload: Payload) = backend(server).upload(upload, payload)
            }, scene.keys, scene.records, time = scene.time)
            var opened = 0
            val payload = Payload(10) { ByteArray(if (opened++ == 0) 10 else 5).inputStream() }
            equal(Problem.PAYLOAD_UNREADABLE, notDone(device.upload("1", payload)).problem)
        }
    }
    checks.test("only https, unless cleartext is allowed") {
        for (address in listOf("http://127.0.0.1:1", "ftp://a", "a", "")) throws<IllegalArgumentException> { HttpBackend(address) }
        throws<IllegalArgumentException> { HttpBackend("ftp://a", HttpBackend.Options(allowsCleartext = true)) }
        HttpBackend("https://app.example/api")
    }
}
