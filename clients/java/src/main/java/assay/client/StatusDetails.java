package assay.client;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** What the details of an error say ({@code google/rpc/error_details.proto}). Of several values the last counts, and the first link. */
final class StatusDetails {
    private static final int LIMIT = 16;
    private static final int LINK_LIMIT = 1000;
    /** Beyond these it does not matter how long. */
    private static final long SECONDS_LIMIT = 0xFFFF_FFFFL;

    /** Empty where no detail says it; the time is null then. */
    String reason = "";
    String retry = "";
    String link = "";
    Duration retryAfter;

    static StatusDetails of(List<?> details) {
        StatusDetails found = new StatusDetails();
        for (Object detail : details.subList(0, Math.min(LIMIT, details.size()))) {
            if (!(detail instanceof Map)) {
                continue;
            }
            Object type = ((Map<?, ?>) detail).get("type");
            Object value = ((Map<?, ?>) detail).get("value");
            byte[] bytes = value instanceof String ? Base64Text.decode((String) value) : null;
            if (!(type instanceof String) || bytes == null) {
                continue;
            }
            try {
                found.read((String) type, bytes);
            } catch (ProtobufFields.Broken broken) {
                // A detail that is broken says nothing.
            }
        }
        return found;
    }

    private void read(String type, byte[] bytes) throws ProtobufFields.Broken {
        switch (type) {
            case "google.rpc.ErrorInfo":
                readErrorInfo(ProtobufFields.of(bytes));
                break;
            case "google.rpc.RetryInfo":
                readRetryInfo(ProtobufFields.of(bytes));
                break;
            case "google.rpc.Help":
                readHelp(ProtobufFields.of(bytes));
                break;
            default:
                break;
        }
    }

    /** {@code reason} (1), {@code domain} (2), {@code metadata} (3). */
    private void readErrorInfo(ProtobufFields info) throws ProtobufFields.Broken {
        String itsRetry = "";
        for (byte[] entry : info.allBytes(3)) {
            ProtobufFields fields = ProtobufFields.of(entry);
            if (fields.text(1).equals("retry")) {
                itsRetry = fields.text(2);
            }
        }
        if (info.text(2).equals("assay")) {
            reason = info.text(1);
            retry = itsRetry;
        }
    }

    /** {@code retry_delay} (1): seconds (1) and nanoseconds (2). */
    private void readRetryInfo(ProtobufFields info) throws ProtobufFields.Broken {
        for (byte[] delay : info.allBytes(1)) {
            ProtobufFields fields = ProtobufFields.of(delay);
            long seconds = fields.number(1);
            long nanoseconds = fields.number(2);
            if (seconds >= 0 && nanoseconds >= 0 && nanoseconds < 1_000_000_000) {
                retryAfter = Duration.ofSeconds(Math.min(seconds, SECONDS_LIMIT), nanoseconds);
            }
        }
    }

    /** {@code links} (1): {@code url} (2). */
    private void readHelp(ProtobufFields help) throws ProtobufFields.Broken {
        for (byte[] entry : help.allBytes(1)) {
            String url = new String(ProtobufFields.of(entry).bytes(2), StandardCharsets.ISO_8859_1);
            boolean isUsable = url.startsWith("https://") && Words.isVisible(url, LINK_LIMIT);
            if (isUsable && link.isEmpty()) {
                link = url;
            }
        }
    }
}
