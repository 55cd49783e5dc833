package assay.client;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Asks for a verdict. The setters return the request itself. */
public final class VerifyRequest {
    private final String app;
    private final Purpose purpose;
    private byte[] challenge = new byte[0];
    private byte[] context = new byte[0];
    private List<Evidence> evidence = List.of();
    private Binding binding;
    private byte[] subject = new byte[0];
    private byte[] expectedDeviceId = new byte[0];
    String idempotencyKey;
    private String sourceAddress = "";
    private byte[] signals = new byte[0];
    private byte[] replacesDeviceId = new byte[0];
    private List<ResultRequest> results = List.of();
    private Report report = Report.UNSPECIFIED;

    /**
     * @param purpose {@link Purpose#REGISTER} or {@link Purpose#ASSERT}
     */
    public VerifyRequest(String app, Purpose purpose) {
        this.app = app;
        this.purpose = purpose;
    }

    /** As issued. */
    public VerifyRequest challenge(byte[] challenge) {
        this.challenge = challenge;
        return this;
    }

    /** The context that the challenge was issued for. */
    public VerifyRequest context(byte[] context) {
        this.context = context;
        return this;
    }

    /** 1 to 4 pieces of one device. All must be good. */
    public VerifyRequest evidence(Evidence... evidence) {
        this.evidence = List.of(evidence);
        return this;
    }

    /** Without it: client data without a payload. */
    public VerifyRequest binding(Binding binding) {
        this.binding = binding;
        return this;
    }

    /** The caller's account or user, at most 256 bytes. A device registered for one subject is refused for another. */
    public VerifyRequest subject(byte[] subject) {
        this.subject = subject;
        return this;
    }

    /** 16 bytes: refuse evidence of any other device. */
    public VerifyRequest expectedDeviceId(byte[] expectedDeviceId) {
        this.expectedDeviceId = expectedDeviceId;
        return this;
    }

    /** 1 to 64 characters of ! to ~: the same request under the same key gets the same answer. Without it the client makes one for its own tries, unless its options say otherwise. */
    public VerifyRequest idempotencyKey(String idempotencyKey) {
        this.idempotencyKey = idempotencyKey;
        return this;
    }

    /** The IP address of the caller's own client, by which requests are counted where the app limits rates. */
    public VerifyRequest sourceAddress(String sourceAddress) {
        this.sourceAddress = sourceAddress;
        return this;
    }

    /** The JSON document about a capture, byte for byte as the app made it. */
    public VerifyRequest signals(byte[] signals) {
        this.signals = signals;
        return this;
    }

    /** 16 bytes, with {@link Purpose#REGISTER} only: the device that this one takes the place of. */
    public VerifyRequest replacesDeviceId(byte[] replacesDeviceId) {
        this.replacesDeviceId = replacesDeviceId;
        return this;
    }

    /** At most 4 signed results, for an accepted verdict. */
    public VerifyRequest results(ResultRequest... results) {
        this.results = List.of(results);
        return this;
    }

    /** How much a rejection tells. */
    public VerifyRequest report(Report report) {
        this.report = report;
        return this;
    }

    Map<String, Object> json() {
        List<Object> pieces = new ArrayList<>();
        evidence.forEach(piece -> pieces.add(piece.json));
        Members members = new Members().text("app", app).name("purpose", "PURPOSE_", purpose).bytes("challenge", challenge)
                .bytes("context", context).list("evidence", pieces);
        if (binding != null) {
            members.put("binding", binding.json);
        }
        return members.bytes("subject", subject).bytes("expectedDeviceId", expectedDeviceId).text("sourceAddress", sourceAddress)
                .bytes("signals", signals).bytes("replacesDeviceId", replacesDeviceId).list("results", ResultRequest.json(results))
                .name("report", "REPORT_", report).finish();
    }
}
