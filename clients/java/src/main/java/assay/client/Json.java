package assay.client;

import java.math.BigDecimal;
import java.util.Map;

/**
 * JSON as the daemon speaks it, read strictly and within bounds. The JDK has no reader of its own.
 *
 * <p>An object is a {@code Map<String, Object>} in the order of its text, a list is a {@code List<Object>}, a text a {@code String}, a number a
 * {@code Long} if it is an integer of 64 bits and otherwise a {@code BigDecimal}; then there are {@code Boolean} and {@code null}.
 */
public final class Json {
    /** Lists and objects within one another. */
    static final int DEPTH_LIMIT = 100;
    /** Values of a text, members' names included: each costs memory beyond its bytes. */
    static final int VALUE_LIMIT = 1_000_000;

    private Json() {}

    /**
     * Reads one value that is all of {@code utf8}.
     *
     * @throws JsonException if it is not JSON, gives a member twice, or goes beyond the bounds
     */
    public static Object parse(byte[] utf8) throws JsonException {
        return new JsonReader(utf8, DEPTH_LIMIT, VALUE_LIMIT).readAll();
    }

    /**
     * Writes maps, iterables, texts, numbers, booleans and {@code null}, in one line.
     *
     * @throws IllegalArgumentException for a value of another type, a number that is not finite, and what is nested too deeply
     */
    public static String write(Object value) {
        StringBuilder out = new StringBuilder();
        write(value, out, DEPTH_LIMIT);
        return out.toString();
    }

    private static void write(Object value, StringBuilder out, int depthLeft) {
        if (depthLeft < 0) {
            throw new IllegalArgumentException("deeper than " + DEPTH_LIMIT + " levels");
        }
        if (value instanceof Map) {
            writeObject((Map<?, ?>) value, out, depthLeft);
        } else if (value instanceof Iterable) {
            writeList((Iterable<?>) value, out, depthLeft);
        } else if (value instanceof CharSequence) {
            writeText((CharSequence) value, out);
        } else if (value instanceof Double || value instanceof Float) {
            double number = ((Number) value).doubleValue();
            if (Double.isNaN(number) || Double.isInfinite(number)) {
                throw new IllegalArgumentException(number + " is no number of JSON");
            }
            out.append(BigDecimal.valueOf(number));
        } else if (value == null || value instanceof Boolean || value instanceof Number) {
            out.append(value);
        } else {
            throw new IllegalArgumentException(value.getClass().getName() + " is no value of JSON");
        }
    }

    private static void writeObject(Map<?, ?> object, StringBuilder out, int depthLeft) {
        out.append('{');
        String separator = "";
        for (Map.Entry<?, ?> member : object.entrySet()) {
            if (!(member.getKey() instanceof CharSequence)) {
                throw new IllegalArgumentException("the name of a member is not a text");
            }
            out.append(separator);
            writeText((CharSequence) member.getKey(), out);
            out.append(':');
            write(member.getValue(), out, depthLeft - 1);
            separator = ",";
        }
        out.append('}');
    }

    private static void writeList(Iterable<?> list, StringBuilder out, int depthLeft) {
        out.append('[');
        String separator = "";
        for (Object item : list) {
            out.append(separator);
            write(item, out, depthLeft - 1);
            separator = ",";
        }
        out.append(']');
    }

    private static void writeText(CharSequence text, StringBuilder out) {
        out.append('"');
        for (int at = 0; at < text.length(); at++) {
            char character = text.charAt(at);
            if (character == '"' || character == '\\') {
                out.append('\\').append(character);
            } else if (character < ' ' || Character.isSurrogate(character) && !isPaired(text, at)) {
                out.append(String.format("\\u%04x", (int) character));
            } else {
                out.append(character);
            }
        }
        out.append('"');
    }

    private static boolean isPaired(CharSequence text, int at) {
        return Character.isHighSurrogate(text.charAt(at))
                ? at + 1 < text.length() && Character.isLowSurrogate(text.charAt(at + 1))
                : at > 0 && Character.isHighSurrogate(text.charAt(at - 1));
    }
}
