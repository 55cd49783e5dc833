package assay.device

import java.io.File
import java.io.FileOutputStream
import java.io.IOException

/** A few small records that outlive the process. They hold no secret. */
interface Records {
    /** Null if there is none, also if it cannot be read. */
    fun read(name: String): ByteArray?

    /** All of it or, with `IOException`, nothing. */
    @Throws(IOException::class)
    fun write(name: String, record: ByteArray)

    fun remove(name: String)

    /** Those whose names begin with [prefix], the oldest first. */
    fun names(prefix: String): List<String>
}

/**
 * One file each in a folder of the app's own. Use `File(context.noBackupFilesDir, "assay")`: a backup that is restored on another phone
 * must not bring records of keys that stayed behind. (If it does, the missing key is noticed, and another one registered.)
 */
class FileRecords(private val folder: File) : Records {
    override fun read(name: String): ByteArray? {
        val file = File(folder, name)
        return try {
            if (file.isFile && file.length() <= LARGEST) file.readBytes() else null
        } catch (error: IOException) {
            null
        }
    }

    override fun write(name: String, record: ByteArray) {
        if (!folder.isDirectory && !folder.mkdirs() && !folder.isDirectory) throw IOException("cannot make $folder")
        val written = File.createTempFile("new-", ".tmp", folder)
        try {
            FileOutputStream(written).use {
                it.write(record)
                it.fd.sync()
            }
            if (!written.renameTo(File(folder, name))) throw IOException("cannot write $name")
        } finally {
            written.delete()
        }
    }

    override fun remove(name: String) {
        File(folder, name).delete()
    }

    override fun names(prefix: String): List<String> =
        folder.listFiles().orEmpty().filter { it.name.startsWith(prefix) }.sortedBy { it.lastModified() }.map { it.name }

    private companion object {
        const val LARGEST = 256L * 1024
    }
}

/** Members of a record, a line each: `name=value`. What cannot be read is as if it were not there. */
internal class Fields(private val values: MutableMap<String, String> = LinkedHashMap()) {
    fun set(name: String, value: Any?): Fields {
        if (value != null) values[name] = value.toString()
        return this
    }

    fun text(name: String): String? = values[name]

    fun long(name: String): Long? = values[name]?.toLongOrNull()

    fun int(name: String): Int? = values[name]?.toIntOrNull()

    fun set(name: String, value: ByteArray?): Fields = set(name, value?.let { hex(it) })

    fun bytes(name: String): ByteArray? {
        val text = values[name] ?: return null
        if (text.length % 2 != 0 || !text.all { it in "0123456789abcdef" }) return null
        return ByteArray(text.length / 2) { text.substring(2 * it, 2 * it + 2).toInt(16).toByte() }
    }

    fun written(): ByteArray =
        (listOf(FORM) + values.map { (name, value) -> "$name=$value" }).joinToString("\n", postfix = "\n").toByteArray()

    companion object {
        private const val FORM = "assay.device 1"

        fun read(record: ByteArray?): Fields? {
            val lines = record?.let { String(it, Charsets.UTF_8) }?.lines() ?: return null
            if (lines.first() != FORM || lines.last() != "") return null
            val values = LinkedHashMap<String, String>()
            for (line in lines.drop(1).dropLast(1)) {
                val end = line.indexOf('=')
                if (end < 1) return null
                values[line.substring(0, end)] = line.substring(end + 1)
            }
            return Fields(values)
        }
    }
}
