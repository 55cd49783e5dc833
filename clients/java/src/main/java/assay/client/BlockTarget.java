package assay.client;

import java.util.Map;

/** What is blocked. */
public final class BlockTarget {
    final Map<String, Object> json;

    private BlockTarget(Members members) {
        json = members.finish();
    }

    /** 16 bytes; the device must be on record. */
    public static BlockTarget deviceId(byte[] deviceId) {
        return new BlockTarget(new Members().bytes("deviceId", deviceId));
    }

    /** The caller's account or user. */
    public static BlockTarget subject(byte[] subject) {
        return new BlockTarget(new Members().bytes("subject", subject));
    }

    /** The platform's key id, raw bytes. */
    public static BlockTarget keyId(byte[] keyId) {
        return new BlockTarget(new Members().bytes("keyId", keyId));
    }
}
