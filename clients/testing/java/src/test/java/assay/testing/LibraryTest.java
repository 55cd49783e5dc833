package assay.testing;

import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;

/** What the library does with a server that misbehaves: a stand-in. The first argument is its program, the second a folder. */
final class LibraryTest {
    private static Path standIn;
    private static Path folder;
    private static int count;

    interface Check {
        void run() throws Exception;
    }

    public static void main(String[] arguments) throws Exception {
        standIn = Path.of(arguments[0]).toAbsolutePath();
        folder = Path.of(arguments[1]);
        check("it asks as it is told and reads the reply", LibraryTest::asks);
        check("a case that there is not is an error with its code, and the next one is made", LibraryTest::mistakes);
        check("a server that does not start says why", () -> fails("fails", 30_000, "status 78: assayd: there is a configuration for real devices"));
        check("a server that does not listen is stopped in time", () -> fails("silent", 300, "did not listen in time"));
        check("a server of another kind is told apart", () -> fails("babbles", 30_000, "not JSON: hello"));
        check("a server that ends says why", LibraryTest::ends);
        check("a late reply is not taken for that of the next call", LibraryTest::late);
        check("threads get their own replies", LibraryTest::threads);
        check("it ends when it is closed, also against its will", LibraryTest::closes);
        check("the program is looked for where the message says", LibraryTest::finds);
        check("JSON that the server does not write is refused", LibraryTest::json);
        System.out.println(count + " checks passed");
    }

    private static void check(String name, Check check) throws Exception {
        try {
            check.run();
        } catch (Throwable error) {
            throw new AssertionError(name, error);
        }
        count++;
    }

    private static TestServer start(String kind, Duration startTimeout, Duration timeout) throws Exception {
        Path program = folder.resolve("assayd-" + kind);
        Files.writeString(program, "#!/bin/sh\nSTAND_IN=" + kind + " exec '" + standIn + "' \"$@\"\n");
        program.toFile().setExecutable(true);
        return TestServer.start(new TestServer.Options().app("films").program(program.toString()).startTimeout(startTimeout)
            .timeout(timeout).stopTimeout(Duration.ofSeconds(2)));
    }

    private static TestServer start(String kind) throws Exception {
        return start(kind, Duration.ofSeconds(30), Duration.ofSeconds(30));
    }

    private static void asks() throws Exception {
        try (TestServer server = start("honest")) {
            equal("films", server.app());
            Evidence made = server.evidence("expired").payload("x".getBytes(StandardCharsets.UTF_8)).subject("alice").context(new byte[] {1})
                .challenge("AAAA").device("phone-2").scope("s\"\n").platform(null).make();
            String expected = "\"echo\":{\"case\":\"expired\",\"payloadSha256\":\"LXEWQrcmsEQBYnyp+6wy9chTD7GQPMTbAiWHF5IaSIE=\",\"subject\":\"YWxpY2U=\","
                + "\"context\":\"AQ==\",\"challenge\":\"AAAA\",\"device\":\"phone-2\",\"scope\":\"s\\\"\\u000a\"}";
            holds(made.request().contains(expected), made.request());
            equal(List.of("expired", "new_challenge", "false"), List.of(made.reason().get(), made.retry().get(), "" + made.isAccepted()));
            equal("appAttestAssertion", made.kind());
            equal("{\"appAttestAssertion\":{\"keyId\":\"AQI=\",\"assertion\":\"AwQ=\"}}", made.piece());
            holds(Arrays.equals(new byte[] {1, 2}, made.keyId().get()) && Arrays.equals(new byte[] {3, 4}, made.body()), "bytes");
            holds(made.challenge().length == 3 && made.certificates().isEmpty() && made.needs().isEmpty(), "others");
        }
    }

    private static void mistakes() throws Exception {
        try (TestServer server = start("honest")) {
            CaseException error = thrown(CaseException.class, () -> server.evidence("refused").make());
            equal("unknown_case", error.code());
            equal("other", server.evidence("other").make().reason().get());
        }
    }

    private static void fails(String kind, long milliseconds, String message) throws Exception {
        long began = System.nanoTime();
        ServerException error = thrown(ServerException.class, () -> start(kind, Duration.ofMillis(milliseconds), Duration.ofSeconds(30)));
        holds(error.getMessage().contains(message), error.getMessage());
        holds(System.nanoTime() - began < 20_000_000_000L, "in time");
    }

    private static void ends() throws Exception {
        try (TestServer server = start("ends")) {
            ServerException error = thrown(ServerException.class, () -> server.evidence("accepted").make());
            holds(error.getMessage().contains("status 1: out of memory"), error.getMessage());
            thrown(ServerException.class, () -> server.evidence("accepted").make());
        }
    }

    private static void late() throws Exception {
        try (TestServer server = start("late", Duration.ofSeconds(30), Duration.ofSeconds(2))) {
            ServerException error = thrown(ServerException.class, () -> server.evidence("slow").make());
            holds(error.getMessage().contains("in time"), error.getMessage());
            equal("next", server.evidence("next").make().reason().get());
        }
    }

    private static void threads() throws Exception {
        try (TestServer server = start("honest")) {
            List<String> wrong = Collections.synchronizedList(new ArrayList<>());
            List<Thread> threads = new ArrayList<>();
            for (int index = 0; index < 8; index++) {
                String name = "case" + index;
                threads.add(new Thread(() -> {
                    for (int turn = 0; turn < 20; turn++) {
                        String reason = server.evidence(name).make().reason().get();
                        if (!reason.equals(name)) wrong.add(name + ": " + reason);
                    }
                }));
            }
            for (Thread thread : threads) thread.start();
            for (Thread thread : threads) thread.join(20_000);
            equal(List.of(), wrong);
        }
    }

    private static void closes() throws Exception {
        for (String kind : List.of("honest", "ignores")) {
            TestServer server = start(kind);
            long children = ProcessHandle.current().children().filter(ProcessHandle::isAlive).count();
            long began = System.nanoTime();
            server.close();
            server.close();
            holds(System.nanoTime() - began < 20_000_000_000L, "in time");
            equal(children - 1, ProcessHandle.current().children().filter(ProcessHandle::isAlive).count());
        }
    }

    private static void finds() throws Exception {
        String none = thrown(ServerException.class, () -> TestServer.find(null, Map.of("PATH", folder.toString()))).getMessage();
        holds(none.contains("not on the PATH, and ASSAY_HOME is not set"), none);
        String home = thrown(ServerException.class, () -> TestServer.find(null, Map.of("ASSAY_HOME", folder.toString()))).getMessage();
        holds(home.contains("there is no assayd in it: looked for " + folder + "/bin/assayd"), home);
        thrown(ServerException.class, () -> TestServer.find(folder + "/nothing", Map.of()));
        Path program = Files.createDirectories(folder.resolve("bin")).resolve("assayd");
        Files.writeString(program, "#!/bin/sh\n");
        holds(program.toFile().setExecutable(true), "mode");
        equal(program.toString(), TestServer.find(null, Map.of("ASSAY_HOME", folder.toString())));
        equal(program.toString(), TestServer.find(null, Map.of("PATH", folder + File.pathSeparator + program.getParent())));
    }

    private static void json() {
        equal(
            Map.of("a", Arrays.asList(1.0, -2.5, true, "\"\\/\b\f\n\r\tä€"), "b", Map.of()),
            Json.parse(" {\"a\" : [1, -2.5,true,\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e4€\"] , \"b\":{} } "));
        for (String text : List.of("", "{", "[1,]", "{\"a\"}", "{\"a\":}", "\"a", "\"\\u12\"", "\"\\x\"", "nul", "1 2", "[".repeat(100))) {
            try {
                Object found = Json.parse(text);
                throw new AssertionError(text + " was read as " + found);
            } catch (IllegalArgumentException error) {
                holds(error.getMessage().startsWith("want "), error.getMessage());
            }
        }
    }

    // Comparing

    static void holds(boolean condition, String what) {
        if (!condition) throw new AssertionError(what);
    }

    static void equal(Object expected, Object found) {
        if (!expected.equals(found)) throw new AssertionError("expected " + expected + ", found " + found);
    }

    private static <E extends Throwable> E thrown(Class<E> kind, Check check) throws Exception {
        try {
            check.run();
        } catch (Throwable error) {
            if (kind.isInstance(error)) return kind.cast(error);
            throw error;
        }
        throw new AssertionError("nothing was thrown");
    }
}
