package assay.client;

import java.util.Map;

/** Asks for what a device of a fleet gets at its manufacturer's. The setters return the request itself. */
public final class ProvisionDeviceRequest {
    private final String app;
    private final String deviceSerial;
    private String deviceFamily = "";
    private byte[] deviceSecret = new byte[0];
    private byte[] csr = new byte[0];
    private String enrolmentToken = "";
    String idempotencyKey;

    public ProvisionDeviceRequest(String app, String deviceSerial) {
        this.app = app;
        this.deviceSerial = deviceSerial;
    }

    public ProvisionDeviceRequest deviceFamily(String deviceFamily) {
        this.deviceFamily = deviceFamily;
        return this;
    }

    /** 32 bytes. Without it Assay makes one. */
    public ProvisionDeviceRequest deviceSecret(byte[] deviceSecret) {
        this.deviceSecret = deviceSecret;
        return this;
    }

    /** A PKCS#10 certificate signing request (DER) of a P-256 key; left out only where the configuration allows it. */
    public ProvisionDeviceRequest csr(byte[] csr) {
        this.csr = csr;
        return this;
    }

    /** A one-time token. Without it the serial number must be on the allow-list. */
    public ProvisionDeviceRequest enrolmentToken(String enrolmentToken) {
        this.enrolmentToken = enrolmentToken;
        return this;
    }

    /** 1 to 64 characters of ! to ~: the same request under the same key gets the same answer. Without it the client makes one for its own tries, unless its options say otherwise. */
    public ProvisionDeviceRequest idempotencyKey(String idempotencyKey) {
        this.idempotencyKey = idempotencyKey;
        return this;
    }

    boolean hasCsr() {
        return csr.length > 0;
    }

    Map<String, Object> json() {
        return new Members().text("app", app).text("deviceSerial", deviceSerial).text("deviceFamily", deviceFamily)
                .bytes("deviceSecret", deviceSecret).bytes("csr", csr).text("enrolmentToken", enrolmentToken).finish();
    }
}
