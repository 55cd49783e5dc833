package assay.testing;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * A daemon on loopback with an app of virtual devices, for tests of services that call Assay. It makes evidence for every case.
 *
 * <pre>
 * try (TestServer assay = TestServer.start()) {
 *     Evidence upload = assay.evidence("replayed").payload(photo).challenge(challenge).make();
 * }
 * </pre>
 *
 * Calls may come from several threads; they are answered one after the other. It ends when it is closed, and with this process.
 */
public final class TestServer implements AutoCloseable {
    private final Process process;
    private final OutputStream input;
    private final Path log;
    private final BlockingQueue<Optional<String>> lines = new LinkedBlockingQueue<>();
    private final Duration timeout;
    private final Duration stopTimeout;
    private final Map<String, Object> ready;
    private long lastId;
    private boolean isClosed;

    /** A server whose app is "photos". */
    public static TestServer start() {
        return start(new Options());
    }

    /** Starts it, and waits until it listens. Throws {@link ServerException}. */
    public static TestServer start(Options options) {
        return new TestServer(options);
    }

    /** How it is started. */
    public static final class Options {
        private String app = "photos";
        private String program;
        private String logLevel = "warning";
        private Duration startTimeout = Duration.ofSeconds(30);
        private Duration timeout = Duration.ofSeconds(30);
        private Duration stopTimeout = Duration.ofSeconds(10);

        /** The name of the app, as the service names it. */
        public Options app(String app) {
            this.app = app;
            return this;
        }

        /** The path of assayd; otherwise it is looked for below ASSAY_HOME and on the PATH. */
        public Options program(String program) {
            this.program = program;
            return this;
        }

        /** How much the daemon logs: debug has a line for each verdict. */
        public Options logLevel(String level) {
            logLevel = level;
            return this;
        }

        /** Until when it must listen. */
        public Options startTimeout(Duration timeout) {
            startTimeout = timeout;
            return this;
        }

        /** Until when a case must be made. */
        public Options timeout(Duration timeout) {
            this.timeout = timeout;
            return this;
        }

        /** How long it has to end when it is closed; then it is told to, and after as long again it is killed. */
        public Options stopTimeout(Duration timeout) {
            stopTimeout = timeout;
            return this;
        }
    }

    private TestServer(Options options) {
        timeout = options.timeout;
        stopTimeout = options.stopTimeout;
        List<String> command = List.of(
            find(options.program, System.getenv()), "test-server", "--app", options.app, "--log-level", options.logLevel);
        try {
            log = Files.createTempFile("assay-testing-", ".log");
        } catch (IOException error) {
            throw new ServerException("no file for the log can be made: " + error.getMessage(), error);
        }
        try {
            process = new ProcessBuilder(command).redirectError(log.toFile()).start();
        } catch (IOException error) {
            log.toFile().delete();
            throw new ServerException(command.get(0) + " does not start: " + error.getMessage(), error);
        }
        input = process.getOutputStream();
        Thread reader = new Thread(this::read, "assay-testing");
        reader.setDaemon(true);
        reader.start();
        try {
            Object said = receive(options.startTimeout.toNanos(), "did not listen").get("ready");
            if (!(said instanceof Map)) throw new ServerException("the server did not say where it listens: is its version the one of this library?");
            ready = Json.object(said);
        } catch (RuntimeException | Error error) {
            close();
            throw error;
        }
    }

    /** The address of the daemon, for HTTP: http://127.0.0.1:PORT */
    public String url() {
        return (String) ready.get("url");
    }

    /** Its address for the framed protocol, HOST:PORT. */
    public String framed() {
        return (String) ready.get("framed");
    }

    /** The name of the app. */
    public String app() {
        return (String) ready.get("app");
    }

    /** The daemon's version. */
    public String version() {
        return (String) ready.get("version");
    }

    /** Begins a request for evidence: accepted, replayed, blocked, unknown, forged, tampered, or a reason code. */
    public EvidenceRequest evidence(String name) {
        return new EvidenceRequest(this, name);
    }

    /** All cases, JSON: what they show, their purposes, platforms and needs; and the codes that none causes. */
    public String cases() {
        return Json.write(ask("cases", Map.of()));
    }

    /** What the daemon wrote to its log, its end. */
    public synchronized String log() {
        try {
            String text = isClosed ? "" : Files.readString(log);
            return text.substring(Math.max(0, text.length() - 65536));
        } catch (IOException error) {
            return "";
        }
    }

    /** Stops the daemon and waits until it has ended. A second call does nothing. */
    @Override
    public void close() {
        synchronized (this) {
            if (isClosed) return;
        }
        try {
            input.close(); // it ends with its input
        } catch (IOException error) {
            // It has ended.
        }
        try {
            if (!process.waitFor(stopTimeout.toMillis(), TimeUnit.MILLISECONDS)) process.destroy();
            if (!process.waitFor(stopTimeout.toMillis(), TimeUnit.MILLISECONDS)) process.destroyForcibly();
            process.waitFor(5, TimeUnit.SECONDS);
        } catch (InterruptedException error) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
        synchronized (this) {
            isClosed = true;
            log.toFile().delete();
        }
    }

    // The dialogue

    synchronized Object ask(String method, Map<String, Object> params) {
        lastId++;
        Map<String, Object> message = new LinkedHashMap<>();
        message.put("id", lastId);
        message.put("method", method);
        message.put("params", params);
        try {
            input.write((Json.write(message) + "\n").getBytes(StandardCharsets.UTF_8));
            input.flush();
        } catch (IOException error) {
            throw new ServerException("the server has ended" + end(), error);
        }
        long deadline = System.nanoTime() + timeout.toNanos();
        Map<String, Object> reply;
        do {
            reply = receive(deadline - System.nanoTime(), "did not answer " + method);
        } while (!Double.valueOf(lastId).equals(reply.get("id"))); // a late reply to a call that timed out
        if (reply.get("error") != null) {
            Map<String, Object> error = Json.object(reply.get("error"));
            throw new CaseException((String) error.get("code"), (String) error.get("message"));
        }
        return reply.get("result");
    }

    private Map<String, Object> receive(long nanoseconds, String failure) {
        Optional<String> line;
        try {
            line = lines.poll(Math.max(0, nanoseconds), TimeUnit.NANOSECONDS);
        } catch (InterruptedException error) {
            Thread.currentThread().interrupt();
            throw new ServerException("interrupted", error);
        }
        if (line == null) throw new ServerException("the server " + failure + " in time" + end());
        if (line.isEmpty()) {
            lines.add(line);
            throw new ServerException("the server " + failure + ": it has ended" + end());
        }
        try {
            return Json.object(Json.parse(line.get()));
        } catch (IllegalArgumentException error) {
            String shown = line.get().substring(0, Math.min(200, line.get().length()));
            throw new ServerException("the server wrote a line that is not JSON: " + shown, error);
        }
    }

    private void read() {
        try (BufferedReader reader = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = reader.readLine(); line != null; line = reader.readLine()) lines.add(Optional.of(line));
        } catch (IOException error) {
            // It has ended.
        }
        lines.add(Optional.empty());
    }

    /** What is known of its end, for a message. */
    private String end() {
        List<String> parts = new ArrayList<>();
        try {
            if (process.waitFor(1, TimeUnit.SECONDS)) parts.add("status " + process.exitValue());
        } catch (InterruptedException error) {
            Thread.currentThread().interrupt();
        }
        String text = log().strip();
        if (!text.isEmpty()) parts.add(text.substring(Math.max(0, text.length() - 2000)));
        return parts.isEmpty() ? "" : " (" + String.join(": ", parts) + ")";
    }

    // The program

    static String find(String named, Map<String, String> environment) {
        if (named != null) {
            if (!runs(new File(named))) throw new ServerException(named + " is not a program that this user may run");
            return named;
        }
        String home = environment.getOrDefault("ASSAY_HOME", "");
        if (!home.isEmpty()) {
            List<String> places = new ArrayList<>();
            for (String folder : List.of("bin/", "", ".build/release/")) places.add(home + "/" + folder + "assayd");
            for (String place : places) if (runs(new File(place))) return place;
            throw new ServerException("ASSAY_HOME is " + home + ", and there is no assayd in it: looked for " + String.join(", ", places));
        }
        for (String folder : environment.getOrDefault("PATH", "").split(File.pathSeparator)) {
            File place = new File(folder, "assayd");
            if (!folder.isEmpty() && runs(place)) return place.getPath();
        }
        throw new ServerException(
            "assayd is not on the PATH, and ASSAY_HOME is not set: install Assay, or set ASSAY_HOME to the folder of a release (the one that has bin/assayd)");
    }

    private static boolean runs(File file) {
        return file.isFile() && file.canExecute();
    }
}
