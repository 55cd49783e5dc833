package assay.client;

import static assay.client.AllTests.equal;

import java.util.List;
import java.util.Map;

final class RequestTests {
    private static final byte[] ONE = {1};
    private static final byte[] TWO = {2};

    @Test
    void hasTheNamesOfTheProtoAndLeavesDefaultsOut() {
        equal("{\"app\":\"photos\",\"purpose\":\"PURPOSE_ASSERT\"}", Json.write(new IssueChallengeRequest("photos", Purpose.ASSERT).json()));
        VerifyRequest request =
                new VerifyRequest("photos", Purpose.REGISTER)
                        .challenge(ONE).evidence(Evidence.plugin("lidar", TWO)).binding(Binding.inEvidence()).report(Report.ALL)
                        .results(new ResultRequest(ResultShape.EAR_JWT, "https://a.example"));
        equal(
                "{\"app\":\"photos\",\"purpose\":\"PURPOSE_REGISTER\",\"challenge\":\"AQ==\",\"evidence\":[{\"pluginEvidence\":"
                        + "{\"format\":\"lidar\",\"body\":\"Ag==\"}}],\"binding\":{\"inEvidence\":{}},\"results\":[{\"shape\":"
                        + "\"RESULT_SHAPE_EAR_JWT\",\"audience\":\"https://a.example\"}],\"report\":\"REPORT_ALL\"}",
                Json.write(request.json()));
        equal("{\"app\":\"a\",\"pageSize\":5}", Json.write(new ListDevicesRequest("a").pageSize(5).json()));
    }

    @Test
    void evidenceOfEachKindHasItsMembers() {
        equal(
                Map.of("keySignature", Map.of("keyId", "AQ==", "algorithm", "ALGORITHM_ED25519", "signature", "Ag==")),
                Evidence.keySignature(ONE, SignatureAlgorithm.ED25519, TWO).json);
        equal(
                Map.of("offlineSignature", Map.of("capturedAtUnixMs", "5", "payloadSha256", "Ag==")),
                Evidence.offlineSignature(new byte[0], SignatureAlgorithm.UNSPECIFIED, new byte[0], 5, TWO).json);
        equal(Map.of("androidKeyAttestation", Map.of("certificates", List.of("AQ==", "Ag=="))), Evidence.androidKeyAttestation(List.of(ONE, TWO)).json);
        equal(Map.of("certificateBundle", Map.of("json", "AQ==")), Evidence.certificateBundle(ONE).json);
    }

    @Test
    void bindsTheHashOfThePayload() {
        equal(
                Map.of("clientData", Map.of("payloadSha256", "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=")),
                Binding.payload(new byte[] {'a', 'b', 'c'}).json);
        equal(Map.of("clientData", Map.of()), Binding.payloadSha256(new byte[0]).json);
        equal(Map.of("clientData", Map.of("uploadId", "AQ==")), Binding.upload(ONE).json);
    }
}
