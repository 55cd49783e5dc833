package assay.client;

import static assay.client.AllTests.equal;
import static assay.client.AllTests.thrown;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

final class VerdictTests {
    @SuppressWarnings("unchecked")
    private static Verdict read(String text, boolean isKeyRandom) throws Exception {
        return new Verdict(new Fields((Map<String, Object>) Json.parse(text.getBytes(StandardCharsets.UTF_8))), isKeyRandom);
    }

    private static Verdict read(String text) throws Exception {
        return read(text, false);
    }

    @Test
    void defaultsStandForWhatIsLeftOut() throws Exception {
        Verdict verdict = read("{\"decision\":null,\"findings\":null}");
        equal(List.of(Decision.UNSPECIFIED, "", Assurance.NONE, "NONE", Retry.UNSPECIFIED, ""), List.of(
                verdict.decision, verdict.decisionName, verdict.assurance, verdict.assuranceName, verdict.retry, verdict.retryName));
        equal(false, verdict.accepted());
        equal(null, verdict.wouldReject);
        equal(0, verdict.bound.payloadSha256.length);
    }

    @Test
    void valuesThatAreNotKnownAreKeptAndNeverAccepted() throws Exception {
        Verdict verdict = read("{\"decision\":\"DECISION_MAYBE\",\"assurance\":9,\"retry\":\"RETRY_CLASS_SOON\"}");
        equal(List.of(Decision.UNRECOGNIZED, "MAYBE", Assurance.UNRECOGNIZED, "9", Retry.UNRECOGNIZED, "SOON"), List.of(
                verdict.decision, verdict.decisionName, verdict.assurance, verdict.assuranceName, verdict.retry, verdict.retryName));
        equal(false, verdict.accepted());
        equal(false, verdict.assurance.isAtLeast(Assurance.NONE));
        equal(false, read("{\"decision\":\"UNRECOGNIZED\"}").accepted());
        equal(true, read("{\"decision\":\"DECISION_ACCEPTED\"}").accepted());
        equal(true, Assurance.SECURE_ELEMENT.isAtLeast(Assurance.HARDWARE));
    }

    @Test
    void readsClaimsOfEachKind() throws Exception {
        Map<String, Object> claims =
                read("{\"claims\":[{\"name\":\"a\",\"text\":\"\"},{\"name\":\"b\",\"integer\":\"-5\"},{\"name\":\"c\",\"boolean\":false},"
                        + "{\"name\":\"d\",\"bytes\":\"_-8\"},{\"name\":\"e\",\"texts\":{\"values\":[\"x\"]}},{\"name\":\"f\",\"timeUnixMs\":7},"
                        + "{\"name\":\"g\",\"novel\":{}}]}").claims;
        equal(List.of("a", "b", "c", "d", "e", "f", "g"), List.copyOf(claims.keySet()));
        equal("", claims.get("a"));
        equal(-5L, claims.get("b"));
        equal(false, claims.get("c"));
        equal(new byte[] {-1, -17}, claims.get("d"));
        equal(List.of("x"), claims.get("e"));
        equal(7L, claims.get("f"));
        equal(null, claims.get("g"));
    }

    @Test
    void aMemberOfAnotherTypeIsNamedByItsPlace() {
        Map<String, String> places =
                Map.of(
                        "{\"findings\":[{},{\"check\":5}]}", "findings[1].check is not a text",
                        "{\"bound\":{\"payloadSha256\":\"?\"}}", "bound.payloadSha256 is not Base64",
                        "{\"findings\":[5]}", "findings[0] is not an object",
                        "{\"findings\":{}}", "findings is not a list",
                        "{\"simulated\":\"true\"}", "simulated is not true or false",
                        "{\"decision\":true}", "decision is not a name",
                        "{\"bound\":[]}", "bound is not an object",
                        "{\"decidedAtUnixMs\":\"9223372036854775808\"}", "decidedAtUnixMs is not an integer of 64 bits",
                        "{\"decidedAtUnixMs\":1.5}", "decidedAtUnixMs is not an integer of 64 bits");
        places.forEach((text, place) -> equal(place, thrown(Fields.Undecodable.class, () -> read(text)).getMessage()));
    }

    @Test
    void repeatedIsClearedUnderARandomKeyButOfAStatement() throws Exception {
        equal(true, read("{\"repeated\":true}", false).repeated);
        equal(false, read("{\"repeated\":true}", true).repeated);
        equal(true, read("{\"repeated\":true,\"findings\":[{\"code\":\"statement_repeated\"}]}", true).repeated);
    }
}
