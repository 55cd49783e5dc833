package assay.client;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The members of a message in JSON. A member that is left out or null has its default, and one of another type is refused. */
final class Fields {
    /** An answer is not what a method returns. The message has the place, and what is wrong there. */
    static final class Undecodable extends Exception {
        private static final long serialVersionUID = 1;

        Undecodable(String message) {
            super(message);
        }
    }

    /** Makes a message of its members. */
    interface Message<T> {
        T read(Fields fields) throws Undecodable;
    }

    private interface Item<T> {
        /** Null if the value is not of the type. */
        T read(Object value);
    }

    final Map<String, Object> raw;
    /** Before the name of each member. */
    private final String place;

    Fields(Map<String, Object> raw) {
        this(raw, "");
    }

    private Fields(Map<String, Object> raw, String place) {
        this.raw = raw;
        this.place = place;
    }

    boolean has(String name) {
        return raw.get(name) != null;
    }

    private <T> T read(String name, String kind, T absent, Item<T> item) throws Undecodable {
        return has(name) ? required(raw.get(name), name, kind, item) : absent;
    }

    private <T> T required(Object value, String name, String kind, Item<T> item) throws Undecodable {
        T read = item.read(value);
        if (read == null) {
            throw new Undecodable(place + name + " is not " + kind);
        }
        return read;
    }

    String text(String name) throws Undecodable {
        return read(name, "a text", "", Fields::asText);
    }

    byte[] bytes(String name) throws Undecodable {
        return read(name, "Base64", new byte[0], Fields::asBytes);
    }

    boolean bool(String name) throws Undecodable {
        return read(name, "true or false", false, value -> value instanceof Boolean ? (Boolean) value : null);
    }

    long integer(String name) throws Undecodable {
        return read(name, "an integer of 64 bits", 0L, Fields::asInteger);
    }

    /** Of 32 bits without a sign. */
    long number(String name) throws Undecodable {
        return read(name, "an integer of 32 bits", 0L, Fields::asNumber);
    }

    /** The name of an enumeration's value without its prefix, or its number; empty for the value that stands for none. */
    String name(String name, String prefix) throws Undecodable {
        return withoutPrefix(read(name, "a name", "", Fields::asName), prefix);
    }

    List<String> names(String name, String prefix) throws Undecodable {
        List<String> names = list(name, "a name", Fields::asName);
        names.replaceAll(each -> withoutPrefix(each, prefix));
        return List.copyOf(names);
    }

    private static String withoutPrefix(String name, String prefix) {
        String rest = name.startsWith(prefix) ? name.substring(prefix.length()) : name;
        return rest.equals("UNSPECIFIED") ? "" : rest;
    }

    List<String> texts(String name) throws Undecodable {
        return List.copyOf(list(name, "a text", Fields::asText));
    }

    List<byte[]> byteTexts(String name) throws Undecodable {
        return List.copyOf(list(name, "Base64", Fields::asBytes));
    }

    List<Integer> smallNumbers(String name) throws Undecodable {
        return List.copyOf(list(name, "an integer of 31 bits", value -> {
            Long number = asNumber(value);
            return number == null || number > Integer.MAX_VALUE ? null : Integer.valueOf(number.intValue());
        }));
    }

    <T> List<T> messages(String name, Message<T> message) throws Undecodable {
        List<T> messages = new ArrayList<>();
        List<Object> list = list(name, "an object", value -> value instanceof Map ? value : null);
        for (int index = 0; index < list.size(); index++) {
            messages.add(message.read(new Fields(asObject(list.get(index)), place + name + "[" + index + "].")));
        }
        return List.copyOf(messages);
    }

    /** Null where it is left out. */
    <T> T optional(String name, Message<T> message) throws Undecodable {
        return has(name) ? message(name, message) : null;
    }

    /** One of defaults where it is left out. */
    <T> T message(String name, Message<T> message) throws Undecodable {
        Map<String, Object> object = read(name, "an object", Map.of(), value -> value instanceof Map ? asObject(value) : null);
        return message.read(new Fields(object, place + name + "."));
    }

    private <T> List<T> list(String name, String kind, Item<T> item) throws Undecodable {
        List<?> list = read(name, "a list", List.of(), value -> value instanceof List ? (List<?>) value : null);
        List<T> items = new ArrayList<>();
        for (int index = 0; index < list.size(); index++) {
            items.add(required(list.get(index), name + "[" + index + "]", kind, item));
        }
        return items;
    }

    /** Of a value of the reader's, whose names are texts. */
    @SuppressWarnings("unchecked")
    private static Map<String, Object> asObject(Object value) {
        return (Map<String, Object>) value;
    }

    private static String asText(Object value) {
        return value instanceof String ? (String) value : null;
    }

    private static byte[] asBytes(Object value) {
        return value instanceof String ? Base64Text.decode((String) value) : null;
    }

    private static String asName(Object value) {
        return value instanceof String || value instanceof Number ? value.toString() : null;
    }

    private static Long asInteger(Object value) {
        if (value instanceof Long) {
            return (Long) value;
        }
        String digits = asText(value);
        try {
            return digits != null && digits.matches("-?[0-9]+") ? Long.valueOf(digits) : null;
        } catch (NumberFormatException error) {
            return null;
        }
    }

    private static Long asNumber(Object value) {
        Long number = asInteger(value);
        return number == null || number < 0 || number > 0xFFFF_FFFFL ? null : number;
    }

    /** The value of that name; {@code zero} for an empty one, {@code unrecognized} for one that this version does not know. */
    static <E extends Enum<E>> E value(String name, E zero, E unrecognized) {
        if (name.isEmpty()) {
            return zero;
        }
        for (E value : zero.getDeclaringClass().getEnumConstants()) {
            if (value != unrecognized && value.name().equals(name)) {
                return value;
            }
        }
        return unrecognized;
    }
}
