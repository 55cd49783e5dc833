package assay.client;

import java.util.Collections;
import java.util.List;
import java.util.Map;

/** What a device of a fleet gets, or why it gets nothing. It has secrets: log it nowhere. */
public final class ProvisionedDevice {
    /** DER. */
    public final byte[] deviceCertificate;
    /** The CA's certificates (DER), the issuer first. */
    public final List<byte[]> certificateChain;
    /** Three tables of keys of 32 bytes, in the order of {@link #keyTableIndices}. */
    public final List<List<byte[]>> keyTables;
    public final List<Integer> keyTableIndices;
    public final byte[] deviceSecret;
    /** PKCS#8 (DER), only if Assay made the key, and only in the first answer. */
    public final byte[] devicePrivateKey;
    public final byte[] deviceId;
    /** The answer to an equal request made before. */
    public final boolean repeated;
    /** Null if the device was provisioned. */
    public final ProvisioningRejection rejection;
    /** The JSON of the answer, for members that are newer than this client. It has the secrets too. */
    public final Map<String, Object> raw;

    /** @param clearsRepeated the caller has not had the answer that a try of the same call repeats */
    ProvisionedDevice(Fields fields, boolean clearsRepeated) throws Fields.Undecodable {
        deviceCertificate = fields.bytes("deviceCertificate");
        certificateChain = fields.byteTexts("certificateChain");
        keyTables = fields.messages("keyTables", table -> table.byteTexts("keys"));
        keyTableIndices = fields.smallNumbers("keyTableIndices");
        deviceSecret = fields.bytes("deviceSecret");
        devicePrivateKey = fields.bytes("devicePrivateKey");
        deviceId = fields.bytes("deviceId");
        repeated = fields.bool("repeated") && !clearsRepeated;
        rejection = fields.optional("rejection", ProvisioningRejection::new);
        raw = Collections.unmodifiableMap(fields.raw);
    }

    /** There is a certificate, and no rejection. */
    public boolean provisioned() {
        return rejection == null && deviceCertificate.length > 0;
    }
}
