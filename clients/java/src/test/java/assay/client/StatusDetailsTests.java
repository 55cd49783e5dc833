package assay.client;

import static assay.client.AllTests.equal;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collections;
import java.util.List;
import java.util.Map;

final class StatusDetailsTests {
    /** A field of bytes. */
    static byte[] field(int number, byte[]... parts) {
        ByteArrayOutputStream content = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            content.write(part, 0, part.length);
        }
        ByteArrayOutputStream field = new ByteArrayOutputStream();
        field.write(number << 3 | 2);
        field.write(content.size());
        field.write(content.toByteArray(), 0, content.size());
        return field.toByteArray();
    }

    static byte[] field(int number, String text) {
        return field(number, text.getBytes(StandardCharsets.UTF_8));
    }

    static byte[] joined(byte[]... parts) {
        byte[] field = field(1, parts);
        return Arrays.copyOfRange(field, 2, field.length);
    }

    static byte[] info(String domain) {
        return joined(field(1, "overloaded"), field(2, domain), field(3, field(1, "retry"), field(2, "later")));
    }

    static Map<String, Object> detail(String type, byte[] bytes) {
        return Map.of("type", "google.rpc." + type, "value", Base64.getEncoder().withoutPadding().encodeToString(bytes));
    }

    @Test
    void readsReasonRetryTimeAndLink() {
        byte[] delay = {8, 3, 16, (byte) 0x80, (byte) 0xca, (byte) 0xb5, (byte) 0xee, 1};
        StatusDetails found =
                StatusDetails.of(List.of(
                        detail("ErrorInfo", info("assay")), detail("RetryInfo", field(1, delay)),
                        detail("Help", field(1, field(1, "text"), field(2, "https://docs.example/a"))), detail("Other", new byte[] {1})));
        equal("overloaded", found.reason);
        equal("later", found.retry);
        equal(Duration.ofMillis(3500), found.retryAfter);
        equal("https://docs.example/a", found.link);
    }

    @Test
    void ignoresWhatIsNotOfTheDaemonBrokenOrBeyondTheLimit() {
        byte[] negative = {8, -1, -1, -1, -1, -1, -1, -1, -1, -1, 1};
        List<Object> all =
                List.of(
                        detail("ErrorInfo", info("other")), detail("ErrorInfo", Arrays.copyOf(info("assay"), 20)),
                        detail("RetryInfo", field(1, negative)), detail("Help", field(1, field(2, "javascript:x"))),
                        detail("Help", field(1, field(2, "https://a b"))), "text", Map.of("type", "google.rpc.ErrorInfo", "value", "?"));
        StatusDetails found = StatusDetails.of(all);
        equal("", found.reason + found.retry + found.link);
        equal(null, found.retryAfter);
        List<Object> late = new java.util.ArrayList<>(Collections.nCopies(16, "text"));
        late.add(detail("ErrorInfo", info("assay")));
        equal("", StatusDetails.of(late).reason);
        equal("overloaded", StatusDetails.of(late.subList(1, 17)).reason);
    }

    @Test
    void everyPrefixOfADetailIsReadWithoutAnotherException() {
        byte[] bytes = info("assay");
        for (int end = 0; end < bytes.length; end++) {
            StatusDetails.of(List.of(detail("ErrorInfo", Arrays.copyOf(bytes, end))));
        }
        byte[] ones = new byte[32];
        Arrays.fill(ones, (byte) 0xff);
        StatusDetails.of(List.of(detail("Help", ones)));
    }
}
