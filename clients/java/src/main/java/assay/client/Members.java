package assay.client;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Makes the JSON of a request. Members at their default are left out. */
final class Members {
    private final Map<String, Object> members = new LinkedHashMap<>();

    Members put(String name, Object value) {
        members.put(name, value);
        return this;
    }

    Members text(String name, String text) {
        return text.isEmpty() ? this : put(name, text);
    }

    Members bytes(String name, byte[] bytes) {
        return bytes.length == 0 ? this : put(name, Base64Text.encode(bytes));
    }

    Members byteTexts(String name, List<byte[]> list) {
        List<Object> texts = new ArrayList<>();
        list.forEach(bytes -> texts.add(Base64Text.encode(bytes)));
        return list(name, texts);
    }

    Members number(String name, long number) {
        return number == 0 ? this : put(name, number);
    }

    /** Of 64 bits: a text of its digits. */
    Members integer(String name, long number) {
        return number == 0 ? this : put(name, Long.toString(number));
    }

    Members bool(String name, boolean value) {
        return value ? put(name, true) : this;
    }

    /** The first value of an enumeration is its default. */
    Members name(String name, String prefix, Enum<?> value) {
        return value.ordinal() == 0 ? this : put(name, prefix + value.name());
    }

    Members list(String name, List<?> list) {
        return list.isEmpty() ? this : put(name, list);
    }

    Map<String, Object> finish() {
        return members;
    }
}
