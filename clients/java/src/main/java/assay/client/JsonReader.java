package assay.client;

import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reads a text of JSON (RFC 8259) once. */
final class JsonReader {
    /** A longer number fits no type, and takes time to be read. */
    private static final int NUMBER_LIMIT = 1000;

    private final String text;
    private int at;
    private int depthLeft;
    private int valuesLeft;

    JsonReader(byte[] utf8, int depth, int values) throws JsonException {
        try {
            text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(utf8)).toString();
        } catch (CharacterCodingException error) {
            throw new JsonException(0, "it is not UTF-8");
        }
        depthLeft = depth;
        valuesLeft = values;
    }

    Object readAll() throws JsonException {
        skipSpace();
        Object value = value();
        skipSpace();
        if (at < text.length()) {
            throw error("something follows the value");
        }
        return value;
    }

    private JsonException error(String message) {
        return new JsonException(at, message);
    }

    /** The next character; -1 at the end. */
    private int peek() {
        return at < text.length() ? text.charAt(at) : -1;
    }

    private boolean take(char character) {
        if (peek() != character) {
            return false;
        }
        at++;
        return true;
    }

    private void skipSpace() {
        while (peek() == ' ' || peek() == '\t' || peek() == '\n' || peek() == '\r') {
            at++;
        }
    }

    private void countValue() throws JsonException {
        if (--valuesLeft < 0) {
            throw error("too many values");
        }
    }

    private Object value() throws JsonException {
        countValue();
        switch (peek()) {
            case '{':
            case '[':
                return nested();
            case '"':
                return string();
            case 't':
                return word("true", Boolean.TRUE);
            case 'f':
                return word("false", Boolean.FALSE);
            case 'n':
                return word("null", null);
            case -1:
                throw error("it ends where a value is expected");
            default:
                return number();
        }
    }

    private Object nested() throws JsonException {
        if (--depthLeft < 0) {
            throw error("nested too deeply");
        }
        boolean isObject = text.charAt(at++) == '{';
        skipSpace();
        Object value = isObject ? object() : list();
        depthLeft++;
        return value;
    }

    private Map<String, Object> object() throws JsonException {
        Map<String, Object> object = new LinkedHashMap<>();
        if (take('}')) {
            return object;
        }
        while (true) {
            int start = at;
            if (peek() != '"') {
                throw error("a member's name is expected");
            }
            countValue();
            String name = string();
            skipSpace();
            if (!take(':')) {
                throw error("':' is expected");
            }
            skipSpace();
            Object value = value();
            if (object.containsKey(name)) {
                throw new JsonException(start, "the member is given twice");
            }
            object.put(name, value);
            skipSpace();
            if (take('}')) {
                return object;
            }
            if (!take(',')) {
                throw error("',' or '}' is expected");
            }
            skipSpace();
        }
    }

    private List<Object> list() throws JsonException {
        List<Object> list = new ArrayList<>();
        if (take(']')) {
            return list;
        }
        while (true) {
            list.add(value());
            skipSpace();
            if (take(']')) {
                return list;
            }
            if (!take(',')) {
                throw error("',' or ']' is expected");
            }
            skipSpace();
        }
    }

    private Object word(String word, Object value) throws JsonException {
        if (!text.startsWith(word, at)) {
            throw error("a value is expected");
        }
        at += word.length();
        return value;
    }

    private Number number() throws JsonException {
        int start = at;
        boolean isInteger = true;
        boolean isNegative = take('-');
        if (!take('0')) {
            digits(isNegative ? "a digit is expected" : "a value is expected");
        }
        if (take('.')) {
            isInteger = false;
            digits("a digit is expected");
        }
        if (take('e') || take('E')) {
            isInteger = false;
            if (!take('+')) {
                take('-');
            }
            digits("a digit is expected");
        }
        String number = text.substring(start, at);
        if (number.length() > NUMBER_LIMIT) {
            throw new JsonException(start, "the number is too long");
        }
        try {
            if (isInteger) {
                return Long.valueOf(number);
            }
        } catch (NumberFormatException error) {
            // More than 64 bits.
        }
        try {
            return new BigDecimal(number);
        } catch (NumberFormatException error) {
            throw new JsonException(start, "the exponent is too large");
        }
    }

    private void digits(String message) throws JsonException {
        int start = at;
        while (peek() >= '0' && peek() <= '9') {
            at++;
        }
        if (start == at) {
            throw error(message);
        }
    }

    /** From the opening to the closing quotation mark. */
    private String string() throws JsonException {
        int start = ++at;
        while (peek() >= ' ' && peek() != '"' && peek() != '\\') {
            at++;
        }
        if (peek() == '"') {
            return text.substring(start, at++);
        }
        StringBuilder string = new StringBuilder(text.substring(start, at));
        while (true) {
            int character = peek();
            if (character == -1) {
                throw error("it ends within a text");
            }
            if (character < ' ') {
                throw error("a control character in a text");
            }
            at++;
            if (character == '"') {
                return string.toString();
            }
            string.appendCodePoint(character == '\\' ? escape() : character);
        }
    }

    private int escape() throws JsonException {
        int character = peek();
        switch (character) {
            case '"':
            case '\\':
            case '/':
                break;
            case 'b':
                character = '\b';
                break;
            case 'f':
                character = '\f';
                break;
            case 'n':
                character = '\n';
                break;
            case 'r':
                character = '\r';
                break;
            case 't':
                character = '\t';
                break;
            case 'u':
                at++;
                return escapedScalar();
            default:
                throw error("no such escape");
        }
        at++;
        return character;
    }

    /** What follows {@code \\u}: one unit, or two that are a surrogate pair. */
    private int escapedScalar() throws JsonException {
        char first = unit();
        if (!Character.isSurrogate(first)) {
            return first;
        }
        if (Character.isHighSurrogate(first) && take('\\') && take('u')) {
            char second = unit();
            if (Character.isLowSurrogate(second)) {
                return Character.toCodePoint(first, second);
            }
        }
        throw error("half of a surrogate pair");
    }

    private char unit() throws JsonException {
        int number = 0;
        for (int count = 0; count < 4; count++) {
            int next = peek();
            int digit = next < 128 ? Character.digit(next, 16) : -1;
            if (digit < 0) {
                throw error("four hexadecimal digits are expected");
            }
            number = number * 16 + digit;
            at++;
        }
        return (char) number;
    }
}
