package assay.client;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What authenticated evidence says. */
public final class Claim {
    public final String name;
    /** A text, a {@code Long} (an integer, or a time in ms since 1970), a {@code Boolean}, a {@code byte[]}, or a list of texts; null for a kind that is newer. */
    public final Object value;

    Claim(Fields fields) throws Fields.Undecodable {
        name = fields.text("name");
        value =
                fields.has("text") ? fields.text("text")
                : fields.has("integer") ? Long.valueOf(fields.integer("integer"))
                : fields.has("boolean") ? Boolean.valueOf(fields.bool("boolean"))
                : fields.has("bytes") ? fields.bytes("bytes")
                : fields.has("timeUnixMs") ? Long.valueOf(fields.integer("timeUnixMs"))
                : fields.optional("texts", list -> list.texts("values"));
    }

    static Map<String, Object> byName(List<Claim> claims) {
        Map<String, Object> values = new LinkedHashMap<>();
        claims.forEach(claim -> values.put(claim.name, claim.value));
        return Collections.unmodifiableMap(values);
    }
}
