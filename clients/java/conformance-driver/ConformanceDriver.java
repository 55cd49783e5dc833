import assay.client.AssayClient;
import assay.client.AssayClientBuilder;
import assay.client.AssayException;
import assay.client.Json;
import assay.client.JsonException;
import assay.client.Time;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Makes the calls that the conformance suite asks for: a line of JSON each way. */
public final class ConformanceDriver {
    /** Notes pauses, and puts the clock forward in place of waiting where time is fake. */
    private static final class NotedTime implements Time {
        final boolean isFake;
        final double chance;
        final List<Object> pauses = new ArrayList<>();
        private long ahead;

        NotedTime(boolean isFake, double chance) {
            this.isFake = isFake;
            this.chance = chance;
        }

        @Override
        public long nanoTime() {
            return System.nanoTime() + ahead;
        }

        @Override
        public void sleep(Duration pause) throws InterruptedException {
            pauses.add(new BigDecimal(pause.toNanos()).movePointLeft(9).stripTrailingZeros().toPlainString());
            if (isFake) {
                ahead += pause.toNanos();
            } else {
                Thread.sleep(pause.toMillis());
            }
        }

        @Override
        public double chance() {
            return chance;
        }
    }

    private static final class Made {
        final AssayClient client;
        final NotedTime time;

        Made(AssayClient client, NotedTime time) {
            this.client = client;
            this.time = time;
        }
    }

    private final Map<String, Made> clients = new HashMap<>();

    public static void main(String[] arguments) throws IOException {
        PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        ConformanceDriver driver = new ConformanceDriver();
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            out.println(Json.write(driver.answer(line)));
            out.flush();
        }
        // Clients of older JDKs keep threads that nothing ends.
        System.exit(0);
    }

    private Map<String, Object> answer(String text) {
        Map<String, Object> answer = new LinkedHashMap<>();
        try {
            Members line = new Members(Json.parse(text.getBytes(StandardCharsets.UTF_8)));
            answer.put("id", line.get("id"));
            perform(line, answer);
        } catch (JsonException | RuntimeException error) {
            answer.put("broken", error.toString());
        }
        return answer;
    }

    private void perform(Members line, Map<String, Object> answer) {
        Members options = line.members("options");
        List<Object> waits = List.of();
        Made made = null;
        String name = options.text("client");
        try {
            made = clients.containsKey(name) ? clients.get(name) : client(options);
            if (!name.isEmpty()) {
                clients.put(name, made);
            }
            made.time.pauses.clear();
            AssayClient client =
                    options.has("callTimeoutMs") ? made.client.within(Duration.ofMillis(options.number("callTimeoutMs"))) : made.client;
            answer.put("outcome", Calls.perform(client, line.text("method"), line.members("request"), options));
        } catch (AssayException error) {
            answer.put("error", error(error));
        }
        if (made != null) {
            for (Object pause : made.time.pauses) {
                waits = new ArrayList<>(waits);
                waits.add(new BigDecimal((String) pause));
            }
            if (name.isEmpty()) {
                made.client.close();
            }
        }
        answer.put("waits", waits);
    }

    private static Made client(Members options) {
        double chance = options.has("chance") ? ((Number) options.get("chance")).doubleValue() : 0.5;
        NotedTime time = new NotedTime(options.bool("fakeTime"), chance);
        AssayClientBuilder builder = AssayClient.at(options.text("url")).time(time);
        if (options.has("apiKey")) {
            builder.apiKey(options.text("apiKey"));
        }
        if (options.has("caFile")) {
            builder.caFile(Path.of(options.text("caFile")));
        }
        if (options.has("certificateFile") || options.has("keyFile")) {
            builder.clientCertificate(path(options, "certificateFile"), path(options, "keyFile"));
        }
        if (options.has("timeoutMs")) {
            builder.timeout(Duration.ofMillis(options.number("timeoutMs")));
        }
        if (options.has("connectTimeoutMs")) {
            builder.connectTimeout(Duration.ofMillis(options.number("connectTimeoutMs")));
        }
        if (options.has("tries")) {
            builder.tries((int) options.number("tries"));
        }
        if (options.has("idempotencyKeys")) {
            builder.idempotencyKeys(options.bool("idempotencyKeys"));
        }
        if (options.has("maxAnswerBytes")) {
            builder.maxAnswerBytes(options.number("maxAnswerBytes"));
        }
        if (options.has("documentation")) {
            builder.documentation(options.text("documentation"));
        }
        return new Made(builder.build(), time);
    }

    private static Path path(Members options, String name) {
        return options.has(name) ? Path.of(options.text(name)) : null;
    }

    private static Map<String, Object> error(AssayException error) {
        Map<String, Object> shown = new LinkedHashMap<>();
        shown.put("code", error.code().text());
        shown.put("reason", error.reason());
        shown.put("message", error.getMessage());
        shown.put("retry", error.retryText());
        shown.put("retryAfterMs", error.retryAfter().map(Duration::toMillis).orElse(null));
        shown.put("link", error.link());
        shown.put("httpStatus", error.httpStatus());
        shown.put("attempts", error.attempts());
        return shown;
    }
}
