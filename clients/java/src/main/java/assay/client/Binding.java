package assay.client;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Map;

/** How the evidence is tied to a request. */
public final class Binding {
    final Map<String, Object> json;

    private Binding(String mode, Members members) {
        json = Map.of(mode, members.finish());
    }

    /** Assay's own client data, with the SHA-256 of the bytes that arrived. */
    public static Binding payload(byte[] payload) {
        try {
            return payloadSha256(MessageDigest.getInstance("SHA-256").digest(payload));
        } catch (NoSuchAlgorithmException error) {
            throw new IllegalStateException("every Java has SHA-256", error);
        }
    }

    /** Assay's own client data, and the SHA-256 of the payload in it; empty where no payload is bound. */
    public static Binding payloadSha256(byte[] sha256) {
        return new Binding("clientData", new Members().bytes("payloadSha256", sha256));
    }

    /** Assay's own client data, and a finished upload in place of the payload's SHA-256. */
    public static Binding upload(byte[] uploadId) {
        return new Binding("clientData", new Members().bytes("uploadId", uploadId));
    }

    /** The app's own client data: the exact bytes whose SHA-256 the app gave to the platform. */
    public static Binding embedded(byte[] clientData) {
        return new Binding("embedded", new Members().bytes("clientData", clientData));
    }

    /** A hash that the caller vouches for, freshness included. */
    public static Binding callerOwned(byte[] clientDataHash) {
        return new Binding("callerOwned", new Members().bytes("clientDataHash", clientDataHash));
    }

    /** None: the evidence is a statement of its own. */
    public static Binding inEvidence() {
        return new Binding("inEvidence", new Members());
    }
}
