package assay.client;

import java.util.Collections;
import java.util.Map;

/** What came of a block. */
public final class BlockResult {
    /** Registered devices that the target names. */
    public final long devices;
    public final boolean wasBlocked;
    public final long revokedCertificates;
    /** The JSON of the answer, for members that are newer than this client. */
    public final Map<String, Object> raw;

    BlockResult(Fields fields) throws Fields.Undecodable {
        devices = fields.number("devices");
        wasBlocked = fields.bool("wasBlocked");
        revokedCertificates = fields.number("revokedCertificates");
        raw = Collections.unmodifiableMap(fields.raw);
    }
}
