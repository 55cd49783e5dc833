package assay.testing;

import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** JSON as the server writes it (RFC 8259): objects are maps, arrays lists, numbers doubles. */
final class Json {
    private static final int DEPTH_LIMIT = 64;

    private final String text;
    private int at;

    private Json(String text) {
        this.text = text;
    }

    /** Reads exactly one value. Throws IllegalArgumentException, with the place. */
    static Object parse(String text) {
        Json json = new Json(text);
        Object value = json.value(0);
        json.space();
        if (json.at < text.length()) throw json.mistake("the end");
        return value;
    }

    @SuppressWarnings("unchecked")
    static Map<String, Object> object(Object value) {
        if (!(value instanceof Map)) throw new IllegalArgumentException("want an object, have " + value);
        return (Map<String, Object>) value;
    }

    @SuppressWarnings("unchecked")
    static List<Object> list(Object value) {
        if (!(value instanceof List)) throw new IllegalArgumentException("want a list, have " + value);
        return (List<Object>) value;
    }

    private Object value(int depth) {
        if (depth > DEPTH_LIMIT) throw mistake("fewer levels");
        space();
        char first = at < text.length() ? text.charAt(at) : '\0';
        switch (first) {
            case '{': {
                Map<String, Object> members = new LinkedHashMap<>();
                at++;
                if (take('}')) return members;
                do {
                    space();
                    String name = string();
                    if (!take(':')) throw mistake("a colon");
                    members.put(name, value(depth + 1));
                } while (take(','));
                if (!take('}')) throw mistake("a comma or a brace");
                return members;
            }
            case '[': {
                List<Object> elements = new ArrayList<>();
                at++;
                if (take(']')) return elements;
                do elements.add(value(depth + 1)); while (take(','));
                if (!take(']')) throw mistake("a comma or a bracket");
                return elements;
            }
            case '"': return string();
            case 't': return word("true", Boolean.TRUE);
            case 'f': return word("false", Boolean.FALSE);
            case 'n': return word("null", null);
            default: return number();
        }
    }

    private Double number() {
        int start = at;
        while (at < text.length() && "+-.0123456789eE".indexOf(text.charAt(at)) >= 0) at++;
        try {
            return Double.valueOf(text.substring(start, at));
        } catch (NumberFormatException error) {
            at = start;
            throw mistake("a value");
        }
    }

    private String string() {
        if (!take('"')) throw mistake("a string");
        StringBuilder found = new StringBuilder();
        while (at < text.length()) {
            char next = text.charAt(at++);
            if (next == '"') return found.toString();
            found.append(next == '\\' ? escaped() : next);
        }
        throw mistake("a quotation mark");
    }

    private char escaped() {
        char kind = at < text.length() ? text.charAt(at++) : '\0';
        switch (kind) {
            case 'n': return '\n';
            case 't': return '\t';
            case 'r': return '\r';
            case 'b': return '\b';
            case 'f': return '\f';
            case 'u':
                try {
                    char unit = (char) Integer.parseInt(text.substring(at, at + 4), 16);
                    at += 4;
                    return unit;
                } catch (IndexOutOfBoundsException | NumberFormatException error) {
                    throw mistake("four hexadecimal digits");
                }
            case '"':
            case '\\':
            case '/': return kind;
            default: throw mistake("an escape");
        }
    }

    private Object word(String word, Object value) {
        if (!text.startsWith(word, at)) throw mistake("a value");
        at += word.length();
        return value;
    }

    private boolean take(char wanted) {
        if (wanted != '"') space();
        if (at >= text.length() || text.charAt(at) != wanted) return false;
        at++;
        return true;
    }

    private void space() {
        while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) at++;
    }

    private IllegalArgumentException mistake(String wanted) {
        return new IllegalArgumentException("want " + wanted + " at character " + at);
    }

    // Writing

    /** A value as JSON: maps, lists, texts, whole numbers, booleans and null; bytes as Base64. */
    static String write(Object value) {
        StringBuilder text = new StringBuilder();
        write(value, text);
        return text.toString();
    }

    private static void write(Object value, StringBuilder to) {
        if (value instanceof Map) {
            String separator = "{";
            for (Map.Entry<?, ?> member : ((Map<?, ?>) value).entrySet()) {
                to.append(separator);
                write(member.getKey(), to);
                to.append(':');
                write(member.getValue(), to);
                separator = ",";
            }
            to.append(separator.equals("{") ? "{}" : "}");
        } else if (value instanceof List) {
            String separator = "[";
            for (Object element : (List<?>) value) {
                to.append(separator);
                write(element, to);
                separator = ",";
            }
            to.append(separator.equals("[") ? "[]" : "]");
        } else if (value instanceof byte[]) {
            to.append('"').append(Base64.getEncoder().encodeToString((byte[]) value)).append('"');
        } else if (value instanceof CharSequence) {
            to.append('"');
            value.toString().chars().forEach(unit -> {
                if (unit == '"' || unit == '\\') to.append('\\').append((char) unit);
                else if (unit < 0x20) to.append(String.format("\\u%04x", unit));
                else to.append((char) unit);
            });
            to.append('"');
        } else if (value instanceof Double && (Double) value == Math.rint((Double) value)) {
            to.append(((Double) value).longValue());
        } else {
            to.append(value);
        }
    }
}
