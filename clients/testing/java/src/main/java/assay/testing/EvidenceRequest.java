package assay.testing;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.LinkedHashMap;
import java.util.Map;

/** What evidence is to be like. {@link TestServer#evidence} begins one, and {@link #make} asks for it. */
public final class EvidenceRequest {
    private final TestServer server;
    private final Map<String, Object> params = new LinkedHashMap<>();

    EvidenceRequest(TestServer server, String name) {
        this.server = server;
        params.put("case", name);
    }

    /** What the device signs. */
    public EvidenceRequest payload(byte[] payload) {
        try {
            return payloadSha256(MessageDigest.getInstance("SHA-256").digest(payload));
        } catch (NoSuchAlgorithmException error) {
            throw new IllegalStateException(error); // every Java has it
        }
    }

    /** SHA-256 of what the device signs. */
    public EvidenceRequest payloadSha256(byte[] digest) {
        return with("payloadSha256", digest);
    }

    /** The challenge that the service issued to the app; otherwise one is asked for. */
    public EvidenceRequest challenge(byte[] challenge) {
        return with("challenge", challenge);
    }

    /** The same, in Base64. */
    public EvidenceRequest challenge(String base64) {
        return with("challenge", base64);
    }

    /** The context that the service asks for challenges and verdicts with. */
    public EvidenceRequest context(byte[] context) {
        return with("context", context);
    }

    /** phone-1, phone-2, android-1, or a new name, which is a new device. */
    public EvidenceRequest device(String name) {
        return with("device", name);
    }

    /** iphone, android or mac, for a new device. */
    public EvidenceRequest platform(String platform) {
        return with("platform", platform);
    }

    /** Devices of one scope are others than those of the same names in another. */
    public EvidenceRequest scope(String scope) {
        return with("scope", scope);
    }

    /** assert (an upload) or register. */
    public EvidenceRequest purpose(String purpose) {
        return with("purpose", purpose);
    }

    /** The account that the service's request names. */
    public EvidenceRequest subject(String subject) {
        return with("subject", subject.getBytes(StandardCharsets.UTF_8));
    }

    /** The idempotency key of the service's request. */
    public EvidenceRequest idempotencyKey(byte[] key) {
        return with("idempotencyKey", key);
    }

    /** The device that the service's request expects. */
    public EvidenceRequest expectedDeviceId(byte[] id) {
        return with("expectedDeviceId", id);
    }

    /** Asks for it. Throws {@link CaseException} or {@link ServerException}. */
    public Evidence make() {
        return new Evidence((String) params.get("case"), Json.object(server.ask("evidence", params)));
    }

    private EvidenceRequest with(String name, Object value) {
        if (value != null) params.put(name, value);
        return this;
    }
}
