import assay.client.AssayClient;
import assay.client.Binding;
import assay.client.BlockTarget;
import assay.client.CallOptions;
import assay.client.DeviceName;
import assay.client.DeviceState;
import assay.client.Evidence;
import assay.client.IssueCertificateRequest;
import assay.client.IssueChallengeRequest;
import assay.client.ListDevicesRequest;
import assay.client.ProvisionDeviceRequest;
import assay.client.Purpose;
import assay.client.Report;
import assay.client.ResultRequest;
import assay.client.ResultShape;
import assay.client.SignatureAlgorithm;
import assay.client.VerifyRequest;
import java.util.Map;

/** From a line's request to the client's types. */
final class Calls {
    private Calls() {}

    static Map<String, Object> perform(AssayClient client, String method, Members request, Members options) {
        String app = request.text("app");
        String key = options.has("idempotencyKey") ? options.text("idempotencyKey") : null;
        switch (method) {
            case "issueChallenge":
                return Outcomes.challenge(client.issueChallenge(
                        new IssueChallengeRequest(app, value(Purpose.UNSPECIFIED, request.text("purpose")))
                                .context(request.bytes("context"))
                                .ttlMs(request.number("ttlMs"))
                                .sourceAddress(request.text("sourceAddress"))));
            case "verify":
                return Outcomes.verdict(client.verify(verification(request, key)));
            case "issueCertificate":
                return Outcomes.certificate(client.issueCertificate(
                        new IssueCertificateRequest(app)
                                .challenge(request.bytes("challenge"))
                                .context(request.bytes("context"))
                                .evidence(evidence(request))
                                .payloadSha256(request.bytes("payloadSha256"))
                                .csr(request.bytes("csr"))
                                .publicKey(request.bytes("publicKey"))
                                .subject(request.bytes("subject"))
                                .idempotencyKey(key)));
            case "provisionDevice":
                return Outcomes.provisioned(client.provisionDevice(
                        new ProvisionDeviceRequest(app, request.text("deviceSerial"))
                                .deviceFamily(request.text("deviceFamily"))
                                .csr(request.bytes("csr"))
                                .enrolmentToken(request.text("enrolmentToken"))
                                .idempotencyKey(key)));
            case "getDevice":
                return Outcomes.device(client.getDevice(app, deviceName(request)));
            case "listDevices":
                return Outcomes.devices(client.listDevices(
                        new ListDevicesRequest(app)
                                .subject(request.bytes("subject"))
                                .state(value(DeviceState.UNSPECIFIED, request.text("state")))
                                .pageSize((int) request.number("pageSize"))
                                .pageToken(request.bytes("pageToken"))));
            case "block":
                return Outcomes.block(client.block(app, target(request), request.text("reason")));
            case "unblock":
                return Outcomes.unblock(client.unblock(app, target(request)));
            case "findVerdicts":
                return Outcomes.found(client.findVerdicts(
                        app, request.bytes("payloadSha256"), request.text("sourceAddress"), results(request)));
            case "getResultKeys":
                return Outcomes.keys(client.getResultKeys(request.bool("simulated")));
            case "whoAmI":
                return Outcomes.caller(client.whoAmI());
            case "call":
                return client.call(
                        request.text("service"), request.text("method"), request.members("message").object,
                        new CallOptions().idempotent(options.bool("idempotent")).idempotencyKey(key));
            default:
                throw new IllegalArgumentException("no method " + method);
        }
    }

    private static VerifyRequest verification(Members request, String key) {
        VerifyRequest made =
                new VerifyRequest(request.text("app"), value(Purpose.UNSPECIFIED, request.text("purpose")))
                        .challenge(request.bytes("challenge"))
                        .context(request.bytes("context"))
                        .evidence(evidence(request))
                        .subject(request.bytes("subject"))
                        .expectedDeviceId(request.bytes("expectedDeviceId"))
                        .idempotencyKey(key)
                        .sourceAddress(request.text("sourceAddress"))
                        .report(value(Report.UNSPECIFIED, request.text("report")));
        return request.has("binding") ? made.binding(binding(request.members("binding"))) : made;
    }

    private static <E extends Enum<E>> E value(E zero, String name) {
        return name.isEmpty() ? zero : Enum.valueOf(zero.getDeclaringClass(), name);
    }

    private static ResultRequest[] results(Members request) {
        return request.list("results").stream().map(Members::new)
                .map(each -> new ResultRequest(value(ResultShape.UNSPECIFIED, each.text("shape")), each.text("audience"))
                        .nonce(each.bytes("nonce")))
                .toArray(ResultRequest[]::new);
    }

    private static Evidence[] evidence(Members request) {
        return request.list("evidence").stream().map(piece -> piece(new Members(piece))).toArray(Evidence[]::new);
    }

    private static Evidence piece(Members evidence) {
        Members members = evidence.members(evidence.kind());
        switch (evidence.kind()) {
            case "appAttestAttestation":
                return Evidence.appAttestAttestation(members.bytes("keyId"), members.bytes("attestation"));
            case "appAttestAssertion":
                return Evidence.appAttestAssertion(members.bytes("keyId"), members.bytes("assertion"));
            case "androidKeyAttestation":
                return Evidence.androidKeyAttestation(members.byteTexts("certificates"));
            case "playIntegrityToken":
                return Evidence.playIntegrityToken(members.text("token"));
            case "keySignature":
                return Evidence.keySignature(members.bytes("keyId"), algorithm(members), members.bytes("signature"));
            case "certificateBundle":
                return Evidence.certificateBundle(members.bytes("json"));
            case "deviceCheckToken":
                return Evidence.deviceCheckToken(members.bytes("token"));
            case "offlineSignature":
                return Evidence.offlineSignature(
                        members.bytes("keyId"), algorithm(members), members.bytes("signature"), members.number("capturedAtUnixMs"),
                        members.bytes("payloadSha256"));
            case "pluginEvidence":
                return Evidence.plugin(members.text("format"), members.bytes("body"));
            default:
                return Evidence.fromJson(evidence.object);
        }
    }

    private static SignatureAlgorithm algorithm(Members members) {
        return value(SignatureAlgorithm.UNSPECIFIED, members.text("algorithm"));
    }

    private static Binding binding(Members binding) {
        Members members = binding.members(binding.kind());
        switch (binding.kind()) {
            case "clientData":
                return members.has("uploadId")
                        ? Binding.upload(members.bytes("uploadId"))
                        : Binding.payloadSha256(members.bytes("payloadSha256"));
            case "embedded":
                return Binding.embedded(members.bytes("clientData"));
            case "callerOwned":
                return Binding.callerOwned(members.bytes("clientDataHash"));
            case "inEvidence":
                return Binding.inEvidence();
            default:
                throw new IllegalArgumentException("no binding " + binding.kind());
        }
    }

    private static DeviceName deviceName(Members request) {
        return request.has("keyId") ? DeviceName.keyId(request.bytes("keyId"))
                : request.has("deviceSerial") ? DeviceName.serial(request.text("deviceSerial"))
                : DeviceName.deviceId(request.bytes("deviceId"));
    }

    private static BlockTarget target(Members request) {
        Members target = request.members("target");
        return target.has("subject") ? BlockTarget.subject(target.bytes("subject"))
                : target.has("keyId") ? BlockTarget.keyId(target.bytes("keyId"))
                : BlockTarget.deviceId(target.bytes("deviceId"));
    }
}
