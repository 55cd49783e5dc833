package assay.device

/** A JSON object (RFC 8259), of which the members that are texts are wanted. */
internal class JsonObject private constructor(private val text: String) {
    private class Malformed : Exception(null, null, false, false)

    private var at = 0

    companion object {
        private const val DEEPEST = 32

        /** The members of the outermost object that are texts; null if this is not JSON, is no object, or has a member twice. */
        fun texts(text: String): Map<String, String>? {
            val reader = JsonObject(text)
            return try {
                reader.blanks()
                if (reader.next() != '{') return null
                val found = reader.members(1)
                reader.blanks()
                if (reader.at == text.length) found else null
            } catch (error: Malformed) {
                null
            }
        }

        /** A text as a JSON string. */
        fun quoted(text: String): String = buildString {
            append('"')
            for (each in text) when {
                each == '"' || each == '\\' -> append('\\').append(each)
                each < ' ' || each.isSurrogate() || each == '\u2028' || each == '\u2029' ->
                    append("\\u").append(each.code.toString(16).padStart(4, '0'))
                else -> append(each)
            }
            append('"')
        }
    }

    private fun peek(): Char = if (at < text.length) text[at] else throw Malformed()

    private fun next(): Char = peek().also { at += 1 }

    private fun blanks() {
        while (at < text.length && text[at] in " \t\n\r") at += 1
    }

    /** After the brace. */
    private fun members(depth: Int): Map<String, String> {
        if (depth > DEEPEST) throw Malformed()
        val found = HashMap<String, String>()
        val names = HashSet<String>()
        blanks()
        if (peek() == '}') return found.also { at += 1 }
        while (true) {
            blanks()
            if (next() != '"') throw Malformed()
            val name = string()
            if (!names.add(name)) throw Malformed()
            blanks()
            if (next() != ':') throw Malformed()
            value(depth)?.let { found[name] = it }
            blanks()
            when (next()) {
                ',' -> continue
                '}' -> return found
                else -> throw Malformed()
            }
        }
    }

    /** The value if it is a text. */
    private fun value(depth: Int): String? {
        blanks()
        val first = next()
        when (first) {
            '"' -> return string()
            '{' -> members(depth + 1)
            '[' -> elements(depth + 1)
            't' -> rest("rue")
            'f' -> rest("alse")
            'n' -> rest("ull")
            else -> number(first)
        }
        return null
    }

    private fun elements(depth: Int) {
        if (depth > DEEPEST) throw Malformed()
        blanks()
        if (peek() == ']') { at += 1; return }
        while (true) {
            value(depth)
            blanks()
            when (next()) {
                ',' -> continue
                ']' -> return
                else -> throw Malformed()
            }
        }
    }

    private fun rest(word: String) {
        for (each in word) if (next() != each) throw Malformed()
    }

    private fun number(first: Char) {
        val start = at - 1
        while (at < text.length && text[at] in "0123456789+-.eE") at += 1
        val isNumber = (first == '-' || first in '0'..'9') && at - start <= 40 && NUMBER.matches(text.substring(start, at))
        if (!isNumber) throw Malformed()
    }

    /** After the quotation mark. */
    private fun string(): String = buildString {
        while (true) {
            val each = next()
            when {
                each == '"' -> return@buildString
                each < ' ' -> throw Malformed()
                each != '\\' -> append(each)
                else -> append(escaped())
            }
        }
    }

    private fun escaped(): Char = when (val each = next()) {
        '"', '\\', '/' -> each
        'b' -> '\b'
        'f' -> '\u000c'
        'n' -> '\n'
        'r' -> '\r'
        't' -> '\t'
        'u' -> {
            var code = 0
            repeat(4) {
                val digit = Character.digit(next(), 16)
                if (digit < 0) throw Malformed()
                code = code * 16 + digit
            }
            code.toChar()
        }
        else -> throw Malformed()
    }
}

private val NUMBER = Regex("-?(0|[1-9][0-9]*)(\\.[0-9]+)?([eE][+-]?[0-9]+)?")
