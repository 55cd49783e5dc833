import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;

/** The members of an object of a line. What is left out is empty. */
final class Members {
    final Map<String, Object> object;

    @SuppressWarnings("unchecked") // Of the client's reader.
    Members(Object value) {
        if (!(value instanceof Map)) {
            throw new IllegalArgumentException("not an object: " + value);
        }
        object = (Map<String, Object>) value;
    }

    boolean has(String name) {
        return object.containsKey(name);
    }

    Object get(String name) {
        return object.get(name);
    }

    Members members(String name) {
        return new Members(object.getOrDefault(name, Map.of()));
    }

    List<?> list(String name) {
        return (List<?>) object.getOrDefault(name, List.of());
    }

    String text(String name) {
        return (String) object.getOrDefault(name, "");
    }

    boolean bool(String name) {
        return Boolean.TRUE.equals(object.get(name));
    }

    long number(String name) {
        Object value = object.getOrDefault(name, 0L);
        return value instanceof String ? Long.parseLong((String) value) : ((Number) value).longValue();
    }

    byte[] bytes(String name) {
        return Base64.getDecoder().decode(text(name));
    }

    List<byte[]> byteTexts(String name) {
        List<byte[]> all = new ArrayList<>();
        list(name).forEach(each -> all.add(Base64.getDecoder().decode((String) each)));
        return all;
    }

    /** The name of the first member: the kind of a choice. */
    String kind() {
        return object.isEmpty() ? "" : object.keySet().iterator().next();
    }
}
