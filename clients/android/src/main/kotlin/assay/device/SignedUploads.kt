package assay.device

import java.io.IOException

/**
 * The signatures of uploads, so that a repetition sends the same bytes, also after a restart: another signature under the same id would
 * be another request, which the daemon refuses as `idempotency_key_reused`. Those of finished uploads are kept too, for the app that
 * ended before it noted the outcome.
 */
internal class SignedUploads(private val records: Records, alias: String) {
    private val waiting = "waiting-$alias-"
    private val finished = "finished-$alias-"

    private fun key(id: String) = hex(sha256(id.toByteArray())).take(32)

    fun find(id: String, payloadSha256: ByteArray): SignedUpload? =
        listOf(waiting, finished).firstNotNullOfOrNull { read(it + key(id), id, payloadSha256) }

    private fun read(name: String, id: String, payloadSha256: ByteArray): SignedUpload? {
        val fields = Fields.read(records.read(name)) ?: return null
        return SignedUpload(
            id, fields.bytes("challenge")?.takeIf { it.size == ClientData.CHALLENGE_BYTES } ?: return null,
            fields.bytes("key") ?: return null, fields.bytes("signature") ?: return null,
            fields.bytes("payload")?.takeIf { it.contentEquals(payloadSha256) } ?: return null,
        )
    }

    @Throws(IOException::class)
    fun keep(upload: SignedUpload) = write(waiting, upload)

    fun finish(upload: SignedUpload) {
        try {
            write(finished, upload)
            records.remove(waiting + key(upload.id))
        } catch (error: IOException) {
            // It stays among those that wait, which serves as well.
        }
    }

    fun drop(id: String) = listOf(waiting, finished).forEach { records.remove(it + key(id)) }

    fun dropAll() = listOf(waiting, finished).flatMap { records.names(it) }.forEach { records.remove(it) }

    private fun write(prefix: String, upload: SignedUpload) {
        val name = prefix + key(upload.id)
        for (old in records.names(prefix).filter { it != name }.dropLast(MOST - 1)) records.remove(old)
        val fields = Fields().set("challenge", upload.challenge).set("key", upload.keyId).set("signature", upload.signature)
            .set("payload", upload.payloadSha256)
        records.write(name, fields.written())
    }

    private companion object {
        /** Of each kind. The oldest give way. */
        const val MOST = 200
    }
}
