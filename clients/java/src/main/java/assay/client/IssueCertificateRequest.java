package assay.client;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Asks for a device certificate on evidence. The setters return the request itself. */
public final class IssueCertificateRequest {
    private final String app;
    private byte[] challenge = new byte[0];
    private byte[] context = new byte[0];
    private List<Evidence> evidence = List.of();
    private byte[] payloadSha256 = new byte[0];
    private byte[] csr = new byte[0];
    private byte[] publicKey = new byte[0];
    private byte[] subject = new byte[0];
    private byte[] expectedDeviceId = new byte[0];
    String idempotencyKey;
    private String sourceAddress = "";

    public IssueCertificateRequest(String app) {
        this.app = app;
    }

    /** Issued for the purpose PROVISION. */
    public IssueCertificateRequest challenge(byte[] challenge) {
        this.challenge = challenge;
        return this;
    }

    public IssueCertificateRequest context(byte[] context) {
        this.context = context;
        return this;
    }

    public IssueCertificateRequest evidence(Evidence... evidence) {
        this.evidence = List.of(evidence);
        return this;
    }

    /** SHA-256 of the payload in the client data. */
    public IssueCertificateRequest payloadSha256(byte[] payloadSha256) {
        this.payloadSha256 = payloadSha256;
        return this;
    }

    /** A PKCS#10 certificate signing request (DER), or {@link #publicKey}. */
    public IssueCertificateRequest csr(byte[] csr) {
        this.csr = csr;
        return this;
    }

    /** A SubjectPublicKeyInfo (DER): only for a key that the evidence attests. */
    public IssueCertificateRequest publicKey(byte[] publicKey) {
        this.publicKey = publicKey;
        return this;
    }

    public IssueCertificateRequest subject(byte[] subject) {
        this.subject = subject;
        return this;
    }

    public IssueCertificateRequest expectedDeviceId(byte[] expectedDeviceId) {
        this.expectedDeviceId = expectedDeviceId;
        return this;
    }

    /** 1 to 64 characters of ! to ~: the same request under the same key gets the same answer. Without it the client makes one for its own tries, unless its options say otherwise. */
    public IssueCertificateRequest idempotencyKey(String idempotencyKey) {
        this.idempotencyKey = idempotencyKey;
        return this;
    }

    public IssueCertificateRequest sourceAddress(String sourceAddress) {
        this.sourceAddress = sourceAddress;
        return this;
    }

    Map<String, Object> json() {
        List<Object> pieces = new ArrayList<>();
        evidence.forEach(piece -> pieces.add(piece.json));
        return new Members().text("app", app).bytes("challenge", challenge).bytes("context", context).list("evidence", pieces)
                .bytes("payloadSha256", payloadSha256).bytes("csr", csr).bytes("publicKey", publicKey).bytes("subject", subject)
                .bytes("expectedDeviceId", expectedDeviceId).text("sourceAddress", sourceAddress).finish();
    }
}
