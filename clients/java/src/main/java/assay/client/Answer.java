package assay.client;

import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.Map;

/** What came back: the object that a method returns, or an error. */
final class Answer {
    final int status;
    final Map<String, Object> object;

    private Answer(int status, Map<String, Object> object) {
        this.status = status;
        this.object = object;
    }

    /** Throws {@link AssayException} if the answer is an error, or none of the daemon's. */
    static Answer of(HttpResponse<byte[]> response) {
        int status = response.statusCode();
        String type = response.headers().firstValue("content-type").orElse("").split(";", 2)[0].trim().toLowerCase(Locale.ROOT);
        Duration retryAfter = retryAfter(response.headers().firstValue("retry-after").orElse(""));
        if (!type.equals("application/json") || status != 200 && status < 400) {
            throw AssayException.foreign(status, type, retryAfter);
        }
        Object value;
        try {
            value = Json.parse(response.body());
        } catch (JsonException error) {
            throw status == 200
                    ? AssayException.undecodable(status, error.getMessage())
                    : AssayException.foreign(status, type, retryAfter);
        }
        if (status != 200) {
            AssayException error = value instanceof Map ? AssayException.ofAnswer(status, (Map<?, ?>) value, retryAfter) : null;
            throw error == null ? AssayException.foreign(status, type, retryAfter) : error;
        }
        if (!(value instanceof Map)) {
            throw AssayException.undecodable(status, "it is not an object");
        }
        @SuppressWarnings("unchecked") // The reader's objects have texts as names.
        Map<String, Object> object = (Map<String, Object>) value;
        return new Answer(status, object);
    }

    /** Seconds or a date, of which one that has passed is 0; null for anything else. */
    static Duration retryAfter(String text) {
        if (text.matches("[0-9]{1,9}")) {
            return Duration.ofSeconds(Long.parseLong(text));
        }
        Instant date = HttpDate.parse(text);
        if (date == null) {
            return null;
        }
        Duration wait = Duration.between(Instant.now(), date);
        return wait.isNegative() ? Duration.ZERO : wait;
    }
}
