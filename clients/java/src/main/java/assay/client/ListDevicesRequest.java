package assay.client;

import java.util.Map;

/** Asks for devices of an app, page by page. The setters return the request itself. */
public final class ListDevicesRequest {
    private final String app;
    private byte[] subject = new byte[0];
    private DeviceState state = DeviceState.UNSPECIFIED;
    private int pageSize = 0;
    private byte[] pageToken = new byte[0];
    private String deviceSerial = "";
    private String flag = "";

    public ListDevicesRequest(String app) {
        this.app = app;
    }

    /** Only devices of this subject. */
    public ListDevicesRequest subject(byte[] subject) {
        this.subject = subject;
        return this;
    }

    /** Only devices in this state. */
    public ListDevicesRequest state(DeviceState state) {
        this.state = state;
        return this;
    }

    /** At most 500. 0: 100. */
    public ListDevicesRequest pageSize(int pageSize) {
        this.pageSize = pageSize;
        return this;
    }

    /** As the page before said. */
    public ListDevicesRequest pageToken(byte[] pageToken) {
        this.pageToken = pageToken;
        return this;
    }

    public ListDevicesRequest deviceSerial(String deviceSerial) {
        this.deviceSerial = deviceSerial;
        return this;
    }

    /** Only devices on which this flag stands. */
    public ListDevicesRequest flag(String flag) {
        this.flag = flag;
        return this;
    }

    Map<String, Object> json() {
        return new Members().text("app", app).bytes("subject", subject).name("state", "STATE_", state).number("pageSize", pageSize)
                .bytes("pageToken", pageToken).text("deviceSerial", deviceSerial).text("flag", flag).finish();
    }
}
