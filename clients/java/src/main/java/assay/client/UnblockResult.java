package assay.client;

import java.util.Collections;
import java.util.Map;

/** What came of lifting a block. */
public final class UnblockResult {
    /** Registered devices that the target names. */
    public final long devices;
    /** False: there was nothing to lift. */
    public final boolean wasBlocked;
    /** Those of the devices that other blocks keep blocked. */
    public final long stillBlocked;
    /** The JSON of the answer, for members that are newer than this client. */
    public final Map<String, Object> raw;

    UnblockResult(Fields fields) throws Fields.Undecodable {
        devices = fields.number("devices");
        wasBlocked = fields.bool("wasBlocked");
        stillBlocked = fields.number("stillBlocked");
        raw = Collections.unmodifiableMap(fields.raw);
    }
}
