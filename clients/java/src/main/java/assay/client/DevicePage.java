package assay.client;

import java.util.Collections;
import java.util.List;
import java.util.Map;

/** A page of devices. */
public final class DevicePage {
    /** May be few or none although more pages follow. */
    public final List<Device> devices;
    /** Empty: this was the last page. */
    public final byte[] nextPageToken;
    /** The JSON of the answer, for members that are newer than this client. */
    public final Map<String, Object> raw;

    DevicePage(Fields fields) throws Fields.Undecodable {
        devices = fields.messages("devices", Device::new);
        nextPageToken = fields.bytes("nextPageToken");
        raw = Collections.unmodifiableMap(fields.raw);
    }
}
