package assay.testing;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** What a device sends, and the verdict on it. */
public final class Evidence {
    private final String name;
    private final Map<String, Object> made;
    private final Map<String, Object> request;
    private final Map<String, Object> expected;

    Evidence(String name, Map<String, Object> made) {
        this.name = name;
        this.made = made;
        request = Json.object(made.get("request"));
        expected = Json.object(made.get("expected"));
    }

    /** The name of the case. */
    public String name() {
        return name;
    }

    /** The name of the virtual device. */
    public String device() {
        return (String) made.get("device");
    }

    /** iphone, android or mac. */
    public String platform() {
        return (String) made.get("platform");
    }

    /** assert or register. */
    public String purpose() {
        return (String) made.get("purpose");
    }

    /** The challenge that the device signed, 54 bytes: not always the one that was given. */
    public byte[] challenge() {
        return Base64.getDecoder().decode((String) made.get("challenge"));
    }

    /** A complete body of POST /v1/attestation/verify, JSON. */
    public String request() {
        return Json.write(request);
    }

    /** The first piece of evidence as in the JSON of the API: {"appAttestAssertion": {"keyId": …, "assertion": …}}. */
    public String piece() {
        return Json.write(Json.list(request.get("evidence")).get(0));
    }

    /** The kind of that piece, such as appAttestAssertion. */
    public String kind() {
        return Json.object(Json.list(request.get("evidence")).get(0)).keySet().iterator().next();
    }

    /** The id of the key that signed; empty for evidence without one. */
    public Optional<byte[]> keyId() {
        return Optional.ofNullable((String) members().get("keyId")).map(Base64.getDecoder()::decode);
    }

    /** What the platform returned to the app: an assertion, an attestation, a signature, or a token's text. Android's attestation has several parts: {@link #certificates}. */
    public byte[] body() {
        Map<String, Object> members = members();
        for (String member : List.of("assertion", "attestation", "signature")) {
            if (members.containsKey(member)) return Base64.getDecoder().decode((String) members.get(member));
        }
        for (String member : List.of("token", "jws")) {
            if (members.containsKey(member)) return ((String) members.get(member)).getBytes(StandardCharsets.UTF_8);
        }
        throw new IllegalStateException(kind() + " is not one value: it has " + members.keySet());
    }

    /** The certificates of an Android key attestation, DER; empty for other evidence. */
    public List<byte[]> certificates() {
        List<byte[]> found = new ArrayList<>();
        if (members().containsKey("certificates")) {
            for (Object text : Json.list(members().get("certificates"))) found.add(Base64.getDecoder().decode((String) text));
        }
        return found;
    }

    /** Whether the verdict on it is ACCEPTED, if the service sends the evidence as it came. */
    public boolean isAccepted() {
        return "DECISION_ACCEPTED".equals(expected.get("decision"));
    }

    /** The reason code of the rejection; empty if it is accepted. */
    public Optional<String> reason() {
        return Optional.ofNullable((String) expected.get("reason"));
    }

    /** What a caller may do next: never, new_challenge, re_attest, later or contact_operator; empty if it is accepted. */
    public Optional<String> retry() {
        return Optional.ofNullable((String) expected.get("retry")).map(text -> text.replace("RETRY_CLASS_", "").toLowerCase(Locale.ROOT));
    }

    /** Members that the service's request must have for this outcome, such as subject. */
    public List<String> needs() {
        List<String> found = new ArrayList<>();
        for (Object need : Json.list(made.get("needs"))) found.add((String) need);
        return found;
    }

    private Map<String, Object> members() {
        return Json.object(Json.object(Json.list(request.get("evidence")).get(0)).get(kind()));
    }
}
