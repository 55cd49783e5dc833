import assay.client.BlockResult;
import assay.client.Caller;
import assay.client.CertificateResult;
import assay.client.Challenge;
import assay.client.Device;
import assay.client.DevicePage;
import assay.client.FoundVerdicts;
import assay.client.ProvisionedDevice;
import assay.client.ResultKeys;
import assay.client.UnblockResult;
import assay.client.Verdict;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/** From the client's types to what the suite compares. */
final class Outcomes {
    private Outcomes() {}

    /** Of names and values in turn. */
    private static Map<String, Object> object(Object... members) {
        Map<String, Object> object = new LinkedHashMap<>();
        for (int at = 0; at < members.length; at += 2) {
            object.put((String) members[at], members[at + 1]);
        }
        return object;
    }

    private static String data(byte[] bytes) {
        return Base64.getEncoder().encodeToString(bytes);
    }

    private static <T> List<Object> list(List<T> all, Function<T, Object> shown) {
        return all.stream().map(shown).collect(Collectors.toList());
    }

    static Map<String, Object> challenge(Challenge answer) {
        return object("challenge", data(answer.challenge), "expiresAtUnixMs", Long.toString(answer.expiresAtUnixMs));
    }

    static Map<String, Object> verdict(Verdict answer) {
        Map<String, Object> claims = new LinkedHashMap<>();
        answer.claims.forEach((name, value) -> claims.put(name, claim(value)));
        return object(
                "accepted", answer.accepted(),
                "decision", answer.decisionName,
                "assurance", answer.assuranceName,
                "reason", answer.reason,
                "detail", answer.detail,
                "check", answer.check,
                "retry", answer.retryName,
                "findings", list(answer.findings, each ->
                        object("check", each.check, "outcome", each.outcomeName, "code", each.code)),
                "claims", claims,
                "deviceId", data(answer.deviceId),
                "requestId", data(answer.requestId),
                "simulated", answer.simulated,
                "repeated", answer.repeated,
                "decidedAtUnixMs", Long.toString(answer.decidedAtUnixMs),
                "wouldReject", answer.wouldReject == null ? "" : answer.wouldReject.reason);
    }

    private static Object claim(Object value) {
        return value instanceof byte[] ? data((byte[]) value) : value instanceof Long ? value.toString() : value;
    }

    static Map<String, Object> certificate(CertificateResult answer) {
        return object(
                "verdict", verdict(answer.verdict),
                "certificate", data(answer.certificate),
                "chain", list(answer.chain, Outcomes::data));
    }

    static Map<String, Object> provisioned(ProvisionedDevice answer) {
        return object(
                "provisioned", answer.provisioned(),
                "deviceCertificate", data(answer.deviceCertificate),
                "certificateChain", list(answer.certificateChain, Outcomes::data),
                "keyTables", list(answer.keyTables, List::size),
                "keyTableIndices", answer.keyTableIndices,
                "deviceSecret", data(answer.deviceSecret),
                "devicePrivateKey", data(answer.devicePrivateKey),
                "deviceId", data(answer.deviceId),
                "repeated", answer.repeated,
                "reason", answer.rejection == null ? "" : answer.rejection.reason,
                "retry", answer.rejection == null ? "" : answer.rejection.retryName);
    }

    static Map<String, Object> device(Device answer) {
        return object(
                "deviceId", data(answer.deviceId),
                "app", answer.app,
                "format", answer.format,
                "keyId", data(answer.keyId),
                "state", answer.stateName,
                "counter", answer.counter,
                "registeredAtUnixMs", Long.toString(answer.registeredAtUnixMs),
                "simulated", answer.simulated,
                "blockReason", answer.blockReason);
    }

    static Map<String, Object> devices(DevicePage answer) {
        return object("devices", list(answer.devices, Outcomes::device), "nextPageToken", data(answer.nextPageToken));
    }

    static Map<String, Object> block(BlockResult answer) {
        return object(
                "devices", answer.devices,
                "wasBlocked", answer.wasBlocked,
                "revokedCertificates", answer.revokedCertificates);
    }

    static Map<String, Object> unblock(UnblockResult answer) {
        return object("devices", answer.devices, "wasBlocked", answer.wasBlocked, "stillBlocked", answer.stillBlocked);
    }

    static Map<String, Object> found(FoundVerdicts answer) {
        return object(
                "found", answer.found,
                "verdicts", list(answer.verdicts, each -> object(
                        "requestId", data(each.requestId),
                        "decision", each.decisionName,
                        "decidedAtUnixMs", Long.toString(each.decidedAtUnixMs),
                        "match", each.matchName,
                        "deviceState", each.deviceStateName,
                        "simulated", each.simulated)),
                "truncated", answer.truncated,
                "noteCode", answer.noteCode,
                "results", list(answer.results, each -> object(
                        "shape", each.shapeName,
                        "audience", each.audience,
                        "text", each.text,
                        "binary", data(each.binary),
                        "problem", each.problem,
                        "expiresAtUnixMs", Long.toString(each.expiresAtUnixMs))));
    }

    static Map<String, Object> keys(ResultKeys answer) {
        return object("issuer", answer.issuer, "jwks", answer.jwks);
    }

    static Map<String, Object> caller(Caller answer) {
        return object(
                "name", answer.name,
                "recognisedBy", answer.recognisedBy,
                "roles", answer.roles,
                "allApps", answer.allApps,
                "apps", answer.apps);
    }
}
