package assay.client;

import java.util.Collections;
import java.util.Map;

/** A challenge, for the device. */
public final class Challenge {
    /** 54 bytes, opaque. */
    public final byte[] challenge;
    public final long expiresAtUnixMs;
    /** The JSON of the answer, for members that are newer than this client. */
    public final Map<String, Object> raw;

    Challenge(Fields fields) throws Fields.Undecodable {
        challenge = fields.bytes("challenge");
        expiresAtUnixMs = fields.integer("expiresAtUnixMs");
        raw = Collections.unmodifiableMap(fields.raw);
    }
}
