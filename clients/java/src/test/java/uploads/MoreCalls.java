package uploads;

import assay.client.*;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** The calls of README.md, which have to compile. */
public final class MoreCalls {
    private MoreCalls() {}

    static List<Object> all(String key, String token, byte[] csr, byte[] deviceId, byte[] sha256, VerifyRequest request) {
        AssayClient assay = AssayClient.at("https://assay.example:8443").apiKey(key).caFile(Path.of("ca.pem")).build();
        ProvisionedDevice made = assay.provisionDevice(new ProvisionDeviceRequest("cameras", "CAM-0001").csr(csr).enrolmentToken(token));
        DevicePage page = assay.listDevices(new ListDevicesRequest("photos").state(DeviceState.BLOCKED));
        assay.block("photos", BlockTarget.deviceId(deviceId), "reported stolen");
        FoundVerdicts found = assay.findVerdicts("photos", sha256);
        Verdict verdict = assay.within(Duration.ofSeconds(2)).verify(request);                   // another time-out
        Map<String, Object> feeds = assay.call("Feeds", "List", Map.of(), new CallOptions().idempotent(true));
        return List.of(made, page, found, verdict, feeds);
    }
}
