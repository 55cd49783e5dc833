package assay.client;

import static assay.client.AllTests.equal;
import static assay.client.AllTests.isTrue;
import static assay.client.AllTests.reason;
import static assay.client.AllTests.thrown;
import static assay.client.ScriptedServer.answer;
import static assay.client.ScriptedServer.end;
import static assay.client.ScriptedServer.raw;
import static assay.client.ScriptedServer.silence;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/** The client against a server that answers by a script. */
final class ClientTests implements AutoCloseable {
    private static final String UNAVAILABLE = "{\"code\":\"unavailable\",\"message\":\"away\"}";
    private static final String ACCEPTED = "{\"decision\":\"DECISION_ACCEPTED\",\"repeated\":true}";

    /** Pauses do not wait, and are noted. */
    private static final class FakeTime implements Time {
        final List<Long> pauses = new java.util.concurrent.CopyOnWriteArrayList<>();

        @Override
        public long nanoTime() {
            return System.nanoTime() + pauses.stream().mapToLong(pause -> pause * 1_000_000).sum();
        }

        @Override
        public void sleep(Duration pause) {
            pauses.add(pause.toMillis());
        }

        @Override
        public double chance() {
            return 0.5;
        }
    }

    private final FakeTime time = new FakeTime();
    private final List<Closeable> opened = new ArrayList<>();
    private ScriptedServer server;

    @Override
    public void close() throws IOException {
        for (Closeable each : opened) {
            each.close();
        }
    }

    private AssayClient client(ScriptedServer.Step... steps) throws IOException {
        return client(options -> options, steps);
    }

    private AssayClient client(UnaryOperator<AssayClientBuilder> change, ScriptedServer.Step... steps) throws IOException {
        server = new ScriptedServer(steps);
        AssayClient client = change.apply(AssayClient.at(server.url()).time(time)).build();
        // The server first: from Java 21 on a client's close waits for calls in flight.
        opened.add(server);
        opened.add(client::close);
        return client;
    }

    private static VerifyRequest verification() {
        return new VerifyRequest("photos", Purpose.ASSERT)
                .challenge(new byte[] {0, 1}).evidence(Evidence.appAttestAssertion(new byte[] {1}, new byte[] {2}))
                .binding(Binding.payload("a photo".getBytes()));
    }

    @Test
    void sendsWhatThePageStates() throws Exception {
        AssayClient client = client(answer(200, "{\"challenge\":\"AAEC\",\"expiresAtUnixMs\":\"1776124800000\"}"));
        Challenge challenge = client.issueChallenge(new IssueChallengeRequest("photos", Purpose.ASSERT));
        equal(new byte[] {0, 1, 2}, challenge.challenge);
        equal(1_776_124_800_000L, challenge.expiresAtUnixMs);
        equal("AAEC", challenge.raw.get("challenge"));
        ScriptedServer.Request sent = server.requests.get(0);
        equal("POST /assay.v1.Attestation/IssueChallenge HTTP/1.1", sent.head.get(0));
        equal("{\"app\":\"photos\",\"purpose\":\"PURPOSE_ASSERT\"}", sent.body);
        equal("application/json", sent.field("content-type"));
        equal("assay-java/" + AssayClient.VERSION, sent.field("user-agent"));
        equal(Arrays.asList(null, null, null), Arrays.asList(sent.field("idempotency-key"), sent.field("authorization"), sent.field("upgrade")));
        int left = Integer.parseInt(sent.field("connect-timeout-ms"));
        isTrue(left > 20_000 && left <= 30_000, "left: " + left);
    }

    @Test
    void usesAConnectionAgain() throws Exception {
        AssayClient client = client(answer(200, "{}"), answer(200, "{}"), answer(200, "{}"));
        client.whoAmI();
        client.whoAmI();
        client.within(Duration.ofSeconds(9)).whoAmI();
        equal(List.of(0, 0, 0), server.requests.stream().map(request -> request.connection).collect(Collectors.toList()));
    }

    @Test
    void servesThreads() throws Exception {
        AssayClient client = client(java.util.Collections.nCopies(240, answer(200, "{}")).toArray(new ScriptedServer.Step[0]));
        List<Thread> threads = new ArrayList<>();
        List<Throwable> failures = java.util.Collections.synchronizedList(new ArrayList<>());
        for (int count = 0; count < 12; count++) {
            Thread thread = new Thread(() -> {
                for (int calls = 0; calls < 20; calls++) {
                    client.whoAmI();
                }
            });
            thread.setUncaughtExceptionHandler((failed, error) -> failures.add(error));
            threads.add(thread);
            thread.start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        equal(List.of(), failures);
        equal(240, server.requests.size());
        isTrue(server.requests.stream().mapToInt(request -> request.connection).max().getAsInt() < 120, "too many connections");
    }

    @Test
    void triesAgainUnderTheSameRandomKey() throws Exception {
        AssayClient client = client(end(), answer(503, UNAVAILABLE), answer(200, ACCEPTED));
        Verdict verdict = client.verify(verification());
        equal(List.of(true, false), List.of(verdict.accepted(), verdict.repeated));
        equal(List.of(1000L, 2000L), time.pauses);
        List<String> keys = server.requests.stream().map(request -> request.field("idempotency-key")).distinct().collect(Collectors.toList());
        equal(1, keys.size());
        isTrue(keys.get(0).matches("[0-9a-f]{32}"), keys.get(0));
    }

    @Test
    void keepsTheMarkOfARepetitionUnderAKeyOfTheCallers() throws Exception {
        AssayClient client = client(answer(200, ACCEPTED));
        equal(true, client.verify(verification().idempotencyKey("mine")).repeated);
        equal("mine", server.requests.get(0).field("idempotency-key"));
    }

    @Test
    void doesNotRepeatWhatTheDaemonMayHaveDone() throws Exception {
        AssayClient client = client(options -> options.idempotencyKeys(false), end(), answer(503, UNAVAILABLE));
        AssayException lost = thrown(AssayException.class, () -> client.verify(verification()));
        equal(List.of("connection_lost", 1, 0), List.of(lost.reason(), lost.attempts(), lost.httpStatus()));
        AssayException error =
                thrown(AssayException.class, () -> client.unblock("photos", BlockTarget.subject(new byte[] {1})));
        equal(List.of(Code.UNAVAILABLE, 1, 503), List.of(error.code(), error.attempts(), error.httpStatus()));
        equal(List.of(), time.pauses);
    }

    @Test
    void repeatsWhatWasNotBegunAndWaitsAsLongAsTheDaemonSays() throws Exception {
        String overloaded = Json.write(Map.of(
                "code", "resource_exhausted", "details", List.of(StatusDetailsTests.detail("ErrorInfo", StatusDetailsTests.info("assay")))));
        AssayClient client =
                client(options -> options.idempotencyKeys(false), answer(429, "retry-after: 3", overloaded), answer(200, "{}"));
        client.verify(verification());
        equal(List.of(3300L), time.pauses);
    }

    @Test
    void givesUpAfterTheLastTryAndWhereAPauseWouldPassTheTimeOut() throws Exception {
        AssayClient client = client(options -> options, java.util.Collections.nCopies(9, answer(503, UNAVAILABLE)).toArray(new ScriptedServer.Step[0]));
        // The next pause is 8 s, and 7 s are left at most; a busy machine may use some.
        equal(4, thrown(AssayException.class, () -> client.within(Duration.ofSeconds(14)).whoAmI()).attempts());
        equal(List.of(1000L, 2000L, 4000L), time.pauses);
        time.pauses.clear();
        equal(5, thrown(AssayException.class, client::whoAmI).attempts());
    }

    @Test
    void keepsTheTimeOutOfACall() throws Exception {
        AssayClient client = client(silence());
        long start = System.nanoTime();
        equal("timeout", reason(() -> client.within(Duration.ofMillis(200)).whoAmI()));
        isTrue(System.nanoTime() - start < 20_000_000_000L, "it took too long");
    }

    @Test
    void isInterrupted() throws Exception {
        AssayClient client = client(silence());
        Thread.currentThread().interrupt();
        AssayException error = thrown(AssayException.class, client::whoAmI);
        equal(List.of("interrupted", Code.CANCELED, 1), List.of(error.reason(), error.code(), error.attempts()));
        isTrue(Thread.interrupted(), "the mark is gone");
    }

    @Test
    void boundsAnswers() throws Exception {
        String head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n";
        AssayClient client =
                client(
                        options -> options.maxAnswerBytes(999), raw(head + "content-length: 4000000000\r\n\r\n{"),
                        raw(head + "transfer-encoding: chunked\r\n\r\nfffff\r\n{" + " ".repeat(2000)), raw(head + "\r\n" + " ".repeat(1000)));
        for (int count = 0; count < 3; count++) {
            equal("reply_too_large", reason(client::whoAmI));
        }
    }

    @Test
    void tellsAnswersOfOthersFromTheDaemons() throws Exception {
        AssayClient client =
                client(
                        options -> options.tries(1), raw("HTTP/1.1 404 -\r\ncontent-type: text/html\r\ncontent-length: 2\r\n\r\nno"),
                        raw("HTTP/1.1 307 -\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 0\r\n\r\n"), raw("SSH-2.0-x\r\n"),
                        answer(200, "[1"), answer(200, "{\"name\":5}"), answer(200, "content-length: 3", "{}"));
        List<String> reasons = new ArrayList<>();
        for (int count = 0; count < 6; count++) {
            reasons.add(reason(client::whoAmI));
        }
        equal(List.of("foreign_answer", "foreign_answer", "protocol_broken", "undecodable_reply", "undecodable_reply", "protocol_broken"), reasons);
    }

    @Test
    void callsAnyMethod() throws Exception {
        AssayClient client = client(options -> options.tries(1), answer(200, "{\"feeds\":[]}"), answer(200, "{}"));
        equal(Map.of("feeds", List.of()), client.call("Feeds", "List", Map.of(), new CallOptions().idempotent(true)));
        client.call("assay.v1.Uploads", "Begin", Map.of("idempotencyKey", "AAEC"), new CallOptions().idempotencyKey("k"));
        equal("POST /assay.v1.Uploads/Begin HTTP/1.1", server.requests.get(1).head.get(0));
        equal(null, server.requests.get(1).field("idempotency-key"));
        for (List<String> words : List.of(List.of("Feeds/..", "List"), List.of("Feeds", "Li st"), List.of("", "List"), List.of("Feeds", "L\r\nx: y"))) {
            equal("bad_request", reason(() -> client.call(words.get(0), words.get(1), Map.of(), new CallOptions())));
        }
        equal("bad_request", reason(() -> client.call("Feeds", "List", Map.of("a", new Object()), new CallOptions())));
    }

    private static String option(AssayClientBuilder options) {
        AssayException error = thrown(AssayException.class, options::build);
        equal("bad_option", error.reason());
        return error.getMessage().split(":")[0];
    }

    @Test
    void refusesWrongOptionsAndKeysBeforeAnythingIsSent() throws Exception {
        String url = "http://127.0.0.1:1";
        Path none = Path.of("none.pem");
        equal("url", option(AssayClient.at("ftp://a")));
        equal("apiKey", option(AssayClient.at(url).apiKey("assay_x")));
        equal("apiKey", option(AssayClient.at("https://a").apiKey("a b")));
        equal("timeout", option(AssayClient.at(url).timeout(Duration.ZERO)));
        equal("connectTimeout", option(AssayClient.at(url).connectTimeout(Duration.ofSeconds(-1))));
        equal("tries", option(AssayClient.at(url).tries(0)));
        equal("maxAnswerBytes", option(AssayClient.at(url).maxAnswerBytes(0)));
        equal("documentation", option(AssayClient.at(url).documentation("a b")));
        equal("caFile", option(AssayClient.at(url).caFile(none)));
        equal("caFile", option(AssayClient.at("https://a").caFile(none)));
        equal("certificateFile", option(AssayClient.at("https://a").clientCertificate(none, none)));
        AssayClient client = client();
        for (String key : List.of("", "a b", "a\r\nx: y", "k".repeat(65))) {
            equal("bad_request", reason(() -> client.verify(verification().idempotencyKey(key))));
        }
        client.close();
        equal("bad_request", reason(client::whoAmI));
        equal(0, server.requests.size());
    }

    @Test
    void saysThatItCouldNotConnect() throws Exception {
        try (ScriptedServer gone = new ScriptedServer()) {
            server = gone;
        }
        AssayException error =
                thrown(AssayException.class, () -> AssayClient.at(server.url()).time(time).documentation("https://d.example").build().whoAmI());
        equal(List.of("connect_failed", 5, "https://d.example/clients/README.md#errors"), List.of(
                error.reason(), error.attempts(), error.link()));
        equal(List.of(1000L, 2000L, 4000L, 8000L), time.pauses);
    }
}
