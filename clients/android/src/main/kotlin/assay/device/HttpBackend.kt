package assay.device

import java.io.ByteArrayOutputStream
import java.io.IOException
import java.io.InputStream
import java.io.OutputStream
import java.net.HttpRetryException
import java.net.HttpURLConnection
import java.net.URL
import java.util.Base64

/**
 * The backend of `docs/start/protect-an-upload.md` and of the handlers in the clients' READMEs, by `HttpURLConnection`:
 * `POST {base}/challenges`, `/devices` and `/uploads` with JSON. Answers are read up to 64 KiB; redirects are not followed.
 */
class HttpBackend(
    /** `https://host[:port][/path]`. `http://` needs [allowsCleartext]. */
    base: String,
    private val options: Options = Options(),
    /** Header fields of the app's session, such as `Authorization`; asked for each request. */
    private val headers: () -> Map<String, String> = { emptyMap() },
) : Backend {
    class Options(
        val connectTimeoutMillis: Int = 10_000,
        /** Between two pieces of an answer. */
        val readTimeoutMillis: Int = 30_000,
        /** For a server on the developer's machine: over the network anyone could read the session. */
        val allowsCleartext: Boolean = false,
        /** The member of an upload that has the payload, in Base64. */
        val payloadMember: String = "photo",
        /** Opens a connection: for certificates that are pinned, and for tests. */
        val open: (URL) -> HttpURLConnection = { it.openConnection() as HttpURLConnection },
        val time: Time = SystemTime,
    )

    private val base = base.trimEnd('/')

    init {
        val isHttps = base.startsWith("https://", ignoreCase = true)
        require(isHttps || options.allowsCleartext && base.startsWith("http://", ignoreCase = true)) { "want an https:// address" }
        URL(base)
    }

    override fun challenge(act: Act): Answer =
        post("/challenges", AnswerReader::challenge, Body().text("for", act.word))

    override fun register(registration: Registration): Answer {
        val body = Body().bytes("challenge", registration.challenge).bytes("key_id", registration.keyId)
            .list("certificates", registration.certificates)
        registration.integrityToken?.let { body.text("integrity_token", it) }
        return post("/devices", AnswerReader::verdict, body)
    }

    override fun upload(upload: SignedUpload, payload: Payload): Answer {
        val body = Body().text("upload_id", upload.id).bytes("challenge", upload.challenge).bytes("key_id", upload.keyId)
            .bytes("signature", upload.signature).payload(options.payloadMember, payload)
        return post("/uploads", AnswerReader::verdict, body)
    }

    private fun post(path: String, read: (Int, Long?, ByteArray?) -> Answer, body: Body): Answer {
        val connection = options.open(URL(base + path))
        var isWhole = false
        try {
            connection.requestMethod = "POST"
            connection.connectTimeout = options.connectTimeoutMillis
            connection.readTimeout = options.readTimeoutMillis
            connection.instanceFollowRedirects = false
            connection.useCaches = false
            connection.doOutput = true
            // Also keeps HttpURLConnection from sending the request a second time by itself.
            connection.setFixedLengthStreamingMode(body.size())
            for ((name, value) in headers()) connection.setRequestProperty(name, value)
            connection.setRequestProperty("Content-Type", "application/json")
            connection.setRequestProperty("Accept", "application/json")
            val status = status(connection, body)
            val retryAfter = BackOff.retryAfter(connection.getHeaderField("Retry-After"), options.time.now())
            val answer = answer(connection, status)
            isWhole = answer != null        // then the connection serves the next request
            return read(status, retryAfter, answer)
        } finally {
            if (!isWhole) connection.disconnect()
        }
    }

    private fun status(connection: HttpURLConnection, body: Body): Int {
        var failed: IOException? = null
        try {
            connection.outputStream.use { body.write(it) }
        } catch (error: Payload.Unreadable) {
            throw error
        } catch (error: IOException) {
            failed = error          // a server may answer 413 and not read on
        }
        return try {
            connection.responseCode.also { if (it < 100) throw failed ?: IOException("the answer is not HTTP") }
        } catch (error: HttpRetryException) {
            error.responseCode()    // 401 with a challenge for credentials, which a streamed request cannot repeat
        } catch (error: IOException) {
            throw failed ?: error
        }
    }

    /** The body; null if it is longer than an answer may be. */
    private fun answer(connection: HttpURLConnection, status: Int): ByteArray? {
        val stream: InputStream = try {
            (if (status >= 400) connection.errorStream else connection.inputStream) ?: return ByteArray(0)
        } catch (error: IOException) {
            return ByteArray(0)
        }
        return stream.use { whole(it) }
    }

    private fun whole(stream: InputStream): ByteArray? {
        val whole = ByteArrayOutputStream()
        val buffer = ByteArray(8192)
        while (true) {
            val count = stream.read(buffer)
            if (count < 0) return whole.toByteArray()
            if (whole.size() + count > AnswerReader.LARGEST) return null
            whole.write(buffer, 0, count)
        }
    }

    /** A JSON object that is written in pieces: the payload is never in memory as a whole. */
    private class Body {
        private val parts = ArrayList<Pair<Long, (OutputStream) -> Unit>>()
        private var isFirst = true

        fun text(name: String, value: String): Body = member(name, JsonObject.quoted(value))

        fun bytes(name: String, value: ByteArray): Body = member(name, encoded(value))

        fun list(name: String, values: List<ByteArray>): Body = member(name, values.joinToString(",", "[", "]") { encoded(it) })

        fun payload(name: String, value: Payload): Body {
            begin(name)
            constant("\"")
            parts.add((value.size + 2) / 3 * 4 to { out ->
                val encoder = Base64.getEncoder()
                value.read { buffer, count -> out.write(encoder.encode(if (count == buffer.size) buffer else buffer.copyOf(count))) }
            })
            constant("\"")
            return this
        }

        fun size(): Long = parts.sumOf { it.first } + 1

        fun write(out: OutputStream) {
            for ((_, write) in parts) write(out)
            out.write('}'.code)
        }

        private fun member(name: String, json: String): Body {
            begin(name)
            constant(json)
            return this
        }

        private fun begin(name: String) {
            constant((if (isFirst) "{" else ",") + JsonObject.quoted(name) + ":")
            isFirst = false
        }

        private fun constant(text: String) {
            val bytes = text.toByteArray()
            parts.add(bytes.size.toLong() to { it.write(bytes) })
        }

        private fun encoded(value: ByteArray): String = "\"" + Base64.getEncoder().encodeToString(value) + "\""
    }
}
