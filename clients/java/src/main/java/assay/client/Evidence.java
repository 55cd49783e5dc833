package assay.client;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What a device sent, as the platform made it. A key id is raw bytes: 32. */
public final class Evidence {
    final Map<String, Object> json;

    private Evidence(Map<String, Object> json) {
        this.json = json;
    }

    private static Evidence of(String kind, Members members) {
        return new Evidence(Map.of(kind, members.finish()));
    }

    /** The result of {@code DCAppAttestService.attestKey}. */
    public static Evidence appAttestAttestation(byte[] keyId, byte[] attestation) {
        return of("appAttestAttestation", new Members().bytes("keyId", keyId).bytes("attestation", attestation));
    }

    /** The result of {@code DCAppAttestService.generateAssertion}. */
    public static Evidence appAttestAssertion(byte[] keyId, byte[] assertion) {
        return of("appAttestAssertion", new Members().bytes("keyId", keyId).bytes("assertion", assertion));
    }

    /** The result of {@code KeyStore.getCertificateChain}: each certificate as DER, leaf first. */
    public static Evidence androidKeyAttestation(List<byte[]> certificates) {
        return of("androidKeyAttestation", new Members().byteTexts("certificates", certificates));
    }

    /** The result of {@code requestIntegrityToken}. */
    public static Evidence playIntegrityToken(String token) {
        return of("playIntegrityToken", new Members().text("token", token));
    }

    /** A signature by a registered key over the client data. */
    public static Evidence keySignature(byte[] keyId, SignatureAlgorithm algorithm, byte[] signature) {
        return of("keySignature", new Members().bytes("keyId", keyId).name("algorithm", "ALGORITHM_", algorithm).bytes("signature", signature));
    }

    /** The JSON that a camera sent, byte for byte. */
    public static Evidence certificateBundle(byte[] json) {
        return of("certificateBundle", new Members().bytes("json", json));
    }

    /** The result of {@code DCDevice.generateToken}. */
    public static Evidence deviceCheckToken(byte[] token) {
        return of("deviceCheckToken", new Members().bytes("token", token));
    }

    /** A capture that a device signed while it had no challenge. */
    public static Evidence offlineSignature(
            byte[] keyId, SignatureAlgorithm algorithm, byte[] signature, long capturedAtUnixMs, byte[] payloadSha256) {
        Members members = new Members().bytes("keyId", keyId).name("algorithm", "ALGORITHM_", algorithm).bytes("signature", signature);
        return of("offlineSignature", members.integer("capturedAtUnixMs", capturedAtUnixMs).bytes("payloadSha256", payloadSha256));
    }

    /** Evidence of a format that a plugin judges. */
    public static Evidence plugin(String format, byte[] body) {
        return of("pluginEvidence", new Members().text("format", format).bytes("body", body));
    }

    /** Evidence in the JSON of {@code assay.v1.Evidence}, such as a phone's app posts it. The daemon judges whether it is well formed. */
    public static Evidence fromJson(Map<String, ?> json) {
        return new Evidence(new LinkedHashMap<>(json));
    }
}
