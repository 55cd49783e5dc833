package assay.client;

import java.util.Map;

/** What a device is asked for by. */
public final class DeviceName {
    final Map<String, Object> json;

    private DeviceName(Members members) {
        json = members.finish();
    }

    /** 16 bytes. */
    public static DeviceName deviceId(byte[] deviceId) {
        return new DeviceName(new Members().bytes("deviceId", deviceId));
    }

    /** The platform's key id, raw bytes. */
    public static DeviceName keyId(byte[] keyId) {
        return new DeviceName(new Members().bytes("keyId", keyId));
    }

    /** The serial number under which the device was provisioned. */
    public static DeviceName serial(String serial) {
        return new DeviceName(new Members().text("deviceSerial", serial));
    }
}
