package assay.client;

import static assay.client.AllTests.equal;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;

final class AnswerTests {
    @Test
    void readsErrorsWithoutDetails() {
        AssayException error =
                AssayException.ofAnswer(503, Map.of("code", "unavailable", "message", "a\nb\u001bc"), Duration.ofSeconds(2));
        equal(List.of(Code.UNAVAILABLE, "", "a b c", Retry.LATER, 503), List.of(
                error.code(), error.reason(), error.getMessage(), error.retry(), error.httpStatus()));
        equal(Duration.ofSeconds(2), error.retryAfter().get());
        equal("docs/reference/http.md#errors", error.link());
    }

    @Test
    void takesAnAnswerWithoutACodeForNoneOfTheDaemons() {
        equal(null, AssayException.ofAnswer(503, Map.of(), null));
        equal(null, AssayException.ofAnswer(503, Map.of("code", 5L), null));
    }

    @Test
    void keepsARetryClassThatIsNotKnown() {
        byte[] info = StatusDetailsTests.joined(
                StatusDetailsTests.field(2, "assay"),
                StatusDetailsTests.field(3, StatusDetailsTests.field(1, "retry"), StatusDetailsTests.field(2, "soon")));
        AssayException error =
                AssayException.ofAnswer(500, Map.of("code", "novel", "details", List.of(StatusDetailsTests.detail("ErrorInfo", info))), null);
        equal(List.of(Code.UNKNOWN, Retry.UNRECOGNIZED, "soon"), List.of(error.code(), error.retry(), error.retryText()));
    }

    @Test
    void linksLeadToThePageOfTheReason() {
        equal("clients/README.md#errors", AssayException.timeout().link());
        equal("https://docs.example/assay/clients/README.md#errors", AssayException.timeout().of(1, "https://docs.example/assay/").link());
        for (String reason : List.of("upload_expired", "chunk_out_of_range", "tamper_detected")) {
            equal("docs/reference/uploads.md#errors", AssayException.unavailable(reason, "", null).link());
        }
        equal("docs/operate/callers.md#when-it-does-not-work", AssayException.unavailable("credential_refused", "", null).link());
        equal("docs/reference/configuration/limits.md", AssayException.unavailable("rate_limited", "", null).link());
    }

    @Test
    void cutsLongMessages() {
        equal(1000, AssayException.badRequest("😀".repeat(5000)).getMessage().codePointCount(0, 2000));
    }

    @Test
    void readsTheTimeToWait() {
        equal(Duration.ofSeconds(7), Answer.retryAfter("7"));
        equal(Duration.ZERO, Answer.retryAfter("Sun, 06 Nov 1994 08:49:37 GMT"));
        equal(Instant.ofEpochSecond(784_111_777), HttpDate.parse("Sun, 06 Nov 1994 08:49:37 GMT"));
        AllTests.isTrue(Answer.retryAfter("Fri, 31 Dec 9999 00:00:00 GMT").toDays() > 1_000_000, "a date far ahead");
        for (String text : List.of(
                "", "-1", "1.5", "1234567890", "soon", "Mon, 06 Nov 1994 08:49:37 GMT", "Sun, 6 Nov 1994 08:49:37 GMT",
                "Wed, 30 Feb 2022 00:00:00 GMT", "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 08:49:37 UTC")) {
            equal(null, Answer.retryAfter(text));
        }
    }
}
