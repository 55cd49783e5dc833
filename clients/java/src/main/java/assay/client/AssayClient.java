package assay.client;

import java.net.http.HttpResponse;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A client of a daemon. It keeps connections open: share one among as many threads as you like.
 *
 * <pre>{@code
 * AssayClient assay = AssayClient.at("https://assay.example").apiKey("assay_…").build();
 * Challenge challenge = assay.issueChallenge(new IssueChallengeRequest("photos", Purpose.ASSERT));
 * // … the device signs the challenge and the photo …
 * Verdict verdict = assay.verify(new VerifyRequest("photos", Purpose.ASSERT)
 *         .challenge(challenge.challenge)
 *         .evidence(Evidence.appAttestAssertion(keyId, assertion))
 *         .binding(Binding.payload(photo)));
 * }</pre>
 *
 * <p>Calls block. A call that fails is tried again where that is safe and may help, within its time-out. Every method throws
 * {@link AssayException} where there is no answer. A rejection is an answer.
 */
public final class AssayClient implements AutoCloseable {
    static final String VERSION = "0.1.0";
    private static final Duration LEAST = Duration.ofMillis(1);
    private static final int KEY_LIMIT = 64;
    private static final SecureRandom RANDOM = new SecureRandom();

    private final Transport transport;
    private final String apiKey;
    private final int tries;
    private final boolean makesKeys;
    private final String documentation;
    private final Time time;
    private final Duration timeout;
    private final AtomicBoolean isClosed;

    AssayClient(AssayClientBuilder options) {
        transport = options.transport;
        apiKey = options.apiKey;
        tries = options.tries;
        makesKeys = options.makesKeys;
        documentation = options.documentation;
        time = options.time;
        timeout = options.timeout;
        isClosed = new AtomicBoolean();
    }

    private AssayClient(AssayClient client, Duration timeout) {
        transport = client.transport;
        apiKey = client.apiKey;
        tries = client.tries;
        makesKeys = client.makesKeys;
        documentation = client.documentation;
        time = client.time;
        this.timeout = timeout;
        isClosed = client.isClosed;
    }

    /** Begins a client of the daemon at {@code https://host[:port][/path]} or {@code http://host[:port][/path]}. */
    public static AssayClientBuilder at(String url) {
        return new AssayClientBuilder(url);
    }

    /** This client with another time-out of its calls: {@code assay.within(Duration.ofSeconds(5)).verify(request)}. It shares the connections. */
    public AssayClient within(Duration timeout) {
        return new AssayClient(this, timeout);
    }

    /** Takes no more calls. */
    @Override
    public void close() {
        if (isClosed.compareAndSet(false, true)) {
            transport.close();
        }
    }

    /** Issues a challenge. The request that uses it must have the same context. */
    public Challenge issueChallenge(IssueChallengeRequest request) {
        return always("Attestation/IssueChallenge", request.json(), Challenge::new);
    }

    /**
     * Asks for a verdict. A rejection is a verdict too.
     *
     * <p>A request without an idempotency key gets a random one for this call, unless the options say otherwise. The verdict is then not marked
     * {@code repeated} for a try of the same call: the caller has not had it before.
     */
    public Verdict verify(VerifyRequest request) {
        boolean isRandom = makesKey(request.idempotencyKey);
        return withKey("Attestation/Verify", request.json(), request.idempotencyKey, fields -> new Verdict(fields, isRandom));
    }

    /** Asks for a device certificate on evidence. */
    public CertificateResult issueCertificate(IssueCertificateRequest request) {
        boolean isRandom = makesKey(request.idempotencyKey);
        return withKey("Provisioning/Issue", request.json(), request.idempotencyKey, fields -> new CertificateResult(fields, isRandom));
    }

    /** Provisions a device of a fleet. A rejection is an answer too. */
    public ProvisionedDevice provisionDevice(ProvisionDeviceRequest request) {
        // A private key that Assay made is in the first answer alone: then it matters that this one is a repetition.
        boolean clearsRepeated = makesKey(request.idempotencyKey) && request.hasCsr();
        return withKey(
                "Provisioning/ProvisionDevice", request.json(), request.idempotencyKey,
                fields -> new ProvisionedDevice(fields, clearsRepeated));
    }

    /** The record of a device. */
    public Device getDevice(String app, DeviceName name) {
        Members members = new Members().text("app", app);
        name.json.forEach(members::put);
        return always("Devices/Get", members.finish(), Device::new);
    }

    /** A page of the devices of an app. */
    public DevicePage listDevices(ListDevicesRequest request) {
        return always("Devices/List", request.json(), DevicePage::new);
    }

    /**
     * Refuses a device, a subject or a key until it is unblocked.
     *
     * @param reason for operators, 1 to 256 bytes. It stands in the audit log, from which nothing can be deleted: name no person
     */
    public BlockResult block(String app, BlockTarget target, String reason) {
        Members members = new Members().text("app", app).put("target", target.json).text("reason", reason);
        return always("Devices/Block", members.finish(), BlockResult::new);
    }

    /** Lifts a block. It is not repeated where the daemon may have begun it: a second call would say that there was nothing to lift. */
    public UnblockResult unblock(String app, BlockTarget target) {
        Members members = new Members().text("app", app).put("target", target.json);
        return ask("Devices/Unblock", members.finish(), null, false, UnblockResult::new);
    }

    /** Accepted verdicts by the SHA-256 of a file. */
    public FoundVerdicts findVerdicts(String app, byte[] payloadSha256) {
        return findVerdicts(app, payloadSha256, "");
    }

    /**
     * Accepted verdicts by the SHA-256 of a file.
     *
     * @param sourceAddress the address of the caller's own client, by which look-ups are counted; empty for none
     * @param results the answer, signed for others: at most 4, of the shapes {@link ResultShape#PLAIN_JWS} and {@link ResultShape#PLAIN_COSE}
     */
    public FoundVerdicts findVerdicts(String app, byte[] payloadSha256, String sourceAddress, ResultRequest... results) {
        Members members = new Members().text("app", app).bytes("payloadSha256", payloadSha256).text("sourceAddress", sourceAddress)
                .list("results", ResultRequest.json(List.of(results)));
        return always("Verdicts/Find", members.finish(), FoundVerdicts::new);
    }

    /**
     * The keys by which signed results are checked.
     *
     * @param simulated those of results about simulated devices
     */
    public ResultKeys getResultKeys(boolean simulated) {
        return always("Results/GetKeys", new Members().bool("simulated", simulated).finish(), ResultKeys::new);
    }

    /** What the daemon knows of this client. */
    public Caller whoAmI() {
        return always("Operations/WhoAmI", Map.of(), Caller::new);
    }

    /**
     * Any method that answers once, in JSON both ways.
     *
     * @param service such as {@code Attestation} or {@code assay.v1.Attestation}
     * @param message as {@link Json} writes it. With a member {@code idempotencyKey} the call may be repeated, and sends no header field
     */
    public Map<String, Object> call(String service, String method, Map<String, ?> message, CallOptions options) {
        return documented(() -> {
            if (!Words.isOfPath(service) || !Words.isOfPath(method)) {
                throw AssayException.badRequest("service and method are words of A-Z, a-z, 0-9, . and _");
            }
            boolean hasMember = message.containsKey("idempotencyKey") || message.containsKey("idempotency_key");
            String key = hasMember ? null : checked(options.idempotencyKey);
            String path = (service.contains(".") ? "" : "assay.v1.") + service + "/" + method;
            return send(path, message, key, options.isIdempotent || hasMember || key != null, fields -> fields.raw);
        });
    }

    private interface Call<T> {
        T make();
    }

    /** Whether a call under this key of the caller's gets a random one. */
    private boolean makesKey(String key) {
        return key == null && makesKeys;
    }

    private <T> T always(String method, Map<String, Object> message, Fields.Message<T> answer) {
        return ask(method, message, null, true, answer);
    }

    private <T> T withKey(String method, Map<String, Object> message, String given, Fields.Message<T> answer) {
        String key = makesKey(given) ? randomKey() : given;
        return ask(method, message, key, key != null, answer);
    }

    private <T> T ask(String method, Map<String, Object> message, String key, boolean mayRepeat, Fields.Message<T> answer) {
        return documented(() -> send("assay.v1." + method, message, checked(key), mayRepeat, answer));
    }

    private static String randomKey() {
        byte[] bytes = new byte[16];
        RANDOM.nextBytes(bytes);
        StringBuilder key = new StringBuilder();
        for (byte each : bytes) {
            key.append(String.format("%02x", each));
        }
        return key.toString();
    }

    private static String checked(String key) {
        if (key != null && !Words.isVisible(key, KEY_LIMIT)) {
            throw AssayException.badRequest("an idempotency key is of 1 to 64 characters of ! to ~");
        }
        return key;
    }

    private <T> T documented(Call<T> call) {
        try {
            return call.make();
        } catch (AssayException error) {
            throw error.of(error.attempts(), documentation);
        }
    }

    /** Tries until there is an answer, an error that another try does not help, no try left, or no time for another. */
    private <T> T send(String path, Map<String, ?> message, String key, boolean mayRepeat, Fields.Message<T> answer) {
        if (timeout.compareTo(LEAST) < 0) {
            throw AssayException.badRequest("the time-out is less than 1 ms");
        }
        String body;
        try {
            body = Json.write(message);
        } catch (IllegalArgumentException error) {
            throw AssayException.badRequest(error.getMessage());
        }
        long start = time.nanoTime();
        for (int attempts = 1; ; attempts++) {
            if (isClosed.get()) {
                throw AssayException.badRequest("the client is closed");
            }
            AssayException error;
            try {
                return attempt(path, body, key, left(start), answer);
            } catch (AssayException thrown) {
                error = thrown.of(attempts, null);
            }
            boolean mayHelp = error.retry() == Retry.LATER && (mayRepeat || error.wasNotBegun()) && !error.reason().equals("interrupted");
            if (!mayHelp || attempts >= tries) {
                throw error;
            }
            Duration pause = RetryRule.pause(attempts, error.retryAfter().orElse(null), time.chance());
            // A pause beyond the time-out would only delay the error.
            if (pause.compareTo(left(start)) >= 0) {
                throw error;
            }
            try {
                time.sleep(pause);
            } catch (InterruptedException interrupted) {
                throw Transport.interrupted(interrupted).of(attempts, null);
            }
        }
    }

    /** What is left of the time-out of a call. */
    private Duration left(long start) {
        return timeout.minusNanos(time.nanoTime() - start);
    }

    private <T> T attempt(String path, String body, String key, Duration left, Fields.Message<T> message) {
        if (left.isZero() || left.isNegative()) {
            throw AssayException.timeout();
        }
        HttpResponse<byte[]> response = transport.exchange(path, body, headers(key, left), left);
        Answer answer = Answer.of(response);
        try {
            return message.read(new Fields(answer.object));
        } catch (Fields.Undecodable error) {
            throw AssayException.undecodable(answer.status, error.getMessage());
        }
    }

    /** Names and values in turn. All are this client's own text but the key and the credential, which have been checked. */
    private List<String> headers(String key, Duration left) {
        List<String> headers = new ArrayList<>(List.of(
                "user-agent", "assay-java/" + VERSION, "content-type", "application/json", "accept", "application/json",
                "accept-encoding", "identity", "connect-timeout-ms", Long.toString(Math.min(Math.max(1, left.toMillis()), 9_999_999_999L))));
        if (apiKey != null) {
            headers.addAll(List.of("authorization", "Bearer " + apiKey));
        }
        if (key != null) {
            headers.addAll(List.of("idempotency-key", key));
        }
        return headers;
    }
}
