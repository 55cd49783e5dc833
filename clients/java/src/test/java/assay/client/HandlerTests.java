package assay.client;

import static assay.client.AllTests.equal;
import static assay.client.AllTests.isTrue;
import static assay.client.ScriptedServer.answer;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.PostMapping;
import uploads.SpringUploads;
import uploads.UploadHandler;

/** The handlers of README.md, as they stand there. */
final class HandlerTests {
    private static final int LINES = 46;
    private static final byte[] PHOTO = "a photo".getBytes(StandardCharsets.UTF_8);
    private static final Map<String, Object> UPLOAD =
            Map.of("key_id", "AQI=", "signature", "MAA=", "challenge", "AAEC", "photo", Base64.getEncoder().encodeToString(PHOTO));
    private static final String DONE = "201 {\"then\":\"done\"}";
    private static final String GIVE_UP = "400 {\"then\":\"give_up\"}";
    private static final String SIMULATED = "{\"decision\":\"DECISION_ACCEPTED\",\"simulated\":true}";
    private static final String REJECTED =
            "{\"decision\":\"DECISION_REJECTED\",\"reason\":\"challenge_reused\",\"retry\":\"RETRY_CLASS_NEW_CHALLENGE\"}";

    /** Posts to the handler, which takes no virtual devices and asks the daemon there, and returns status and body. */
    private static String post(String daemon, String path, String body) throws Exception {
        return post(daemon, path, body, false);
    }

    private static String post(String daemon, String path, String body, boolean takesSimulated) throws Exception {
        Field takes = UploadHandler.class.getDeclaredField("takesSimulated");
        takes.setAccessible(true);
        takes.set(null, takesSimulated);
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        try (AssayClient assay = AssayClient.at(daemon).tries(1).build()) {
            Method serve = UploadHandler.class.getDeclaredMethod("serve", HttpServer.class, AssayClient.class);
            serve.setAccessible(true);
            serve.invoke(null, server, assay);
            URI uri = URI.create("http://127.0.0.1:" + server.getAddress().getPort() + path);
            HttpRequest request =
                    HttpRequest.newBuilder(uri).header("user", "Alice").POST(HttpRequest.BodyPublishers.ofString(body)).build();
            HttpResponse<String> answer = HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
            return answer.statusCode() + " " + answer.body();
        } finally {
            server.stop(0);
        }
    }

    private static void standsInTheReadme(String name) throws IOException {
        String code = Files.readString(Path.of("src/test/java/uploads", name));
        code = code.substring(code.indexOf("\n\n") + 2);
        isTrue(Files.readString(Path.of("README.md")).contains("```java\n" + code + "```"), "README.md has another " + name);
        isTrue(code.lines().count() <= LINES, name + " is longer than " + LINES + " lines");
    }

    @Test
    void standInTheReadmeAndAreShort() throws IOException {
        standsInTheReadme("UploadHandler.java");
        standsInTheReadme("SpringUploads.java");
    }

    @Test
    void theCallsOfTheReadmeCompile() throws IOException {
        String readme = Files.readString(Path.of("README.md"));
        String calls = readme.substring(readme.indexOf("```java\n", readme.indexOf("## More calls")) + "```java\n".length());
        calls = calls.substring(0, calls.indexOf("```"));
        isTrue(Files.readString(Path.of("src/test/java/uploads/MoreCalls.java")).contains(calls.replaceAll("(?m)^(?=.)", "        ")), "README.md has other calls");
    }

    @Test
    void givesAChallengeForTheUser() throws Exception {
        try (ScriptedServer daemon = new ScriptedServer(answer(200, "{\"challenge\":\"AAEC\"}"))) {
            equal("200 {\"challenge\":\"AAEC\"}", post(daemon.url(), "/challenges", ""));
            equal("{\"app\":\"photos\",\"purpose\":\"PURPOSE_ASSERT\",\"context\":\"QWxpY2U=\"}", daemon.requests.get(0).body);
        }
    }

    @Test
    void acceptsWhatTheDaemonAcceptsWithTheHashOfWhatArrived() throws Exception {
        try (ScriptedServer daemon = new ScriptedServer(answer(200, "{\"decision\":\"DECISION_ACCEPTED\"}"))) {
            equal(DONE, post(daemon.url(), "/uploads", Json.write(UPLOAD)));
            Map<?, ?> request = (Map<?, ?>) Json.parse(daemon.requests.get(0).body.getBytes(StandardCharsets.UTF_8));
            equal(Binding.payload(PHOTO).json, request.get("binding"));
        }
    }

    @Test
    void tellsARejectedPhoneWhatToDo() throws Exception {
        try (ScriptedServer daemon = new ScriptedServer(answer(200, REJECTED))) {
            equal("403 {\"then\":\"new_challenge\"}", post(daemon.url(), "/uploads", Json.write(UPLOAD)));
        }
    }

    @Test
    void refusesAVirtualDeviceUnlessItIsATrial() throws Exception {
        try (ScriptedServer daemon = new ScriptedServer(answer(200, SIMULATED), answer(200, SIMULATED))) {
            equal("403 {\"then\":\"give_up\"}", post(daemon.url(), "/uploads", Json.write(UPLOAD)));
            equal(DONE, post(daemon.url(), "/uploads", Json.write(UPLOAD), true));
        }
    }

    @Test
    void storesNothingWithoutAVerdict() throws Exception {
        try (ScriptedServer daemon = new ScriptedServer(answer(403, "{\"code\":\"permission_denied\"}"))) {
            equal("503 {\"then\":\"later\"}", post(daemon.url(), "/uploads", Json.write(UPLOAD)));
        }
        try (ScriptedServer daemon = new ScriptedServer(answer(400, "{\"code\":\"invalid_argument\"}"))) {
            equal(GIVE_UP, post(daemon.url(), "/uploads", Json.write(UPLOAD)));
        }
    }

    @Test
    void refusesWhatIsNoUpload() throws Exception {
        try (ScriptedServer daemon = new ScriptedServer()) {
            Map<String, Object> wrong = new LinkedHashMap<>(UPLOAD);
            wrong.put("photo", 5);
            for (String body : List.of("", "[]", "{}", "\"x\"", "\u0001", Json.write(wrong))) {
                equal(GIVE_UP, post(daemon.url(), "/uploads", body));
            }
            equal(0, daemon.requests.size());
        }
    }

    @Test
    void inSpringsShapeItAnswersAlike() throws Exception {
        try (ScriptedServer daemon =
                        new ScriptedServer(
                                answer(200, "{\"challenge\":\"AAEC\"}"), answer(200, "{\"decision\":\"DECISION_ACCEPTED\"}"),
                                answer(200, REJECTED), answer(200, SIMULATED), answer(403, "{\"code\":\"permission_denied\"}"),
                                answer(400, "{\"code\":\"invalid_argument\"}"));
                AssayClient assay = AssayClient.at(daemon.url()).tries(1).build()) {
            SpringUploads uploads = new SpringUploads(assay);
            equal(new byte[] {0, 1, 2}, uploads.challenge("Alice").get("challenge"));
            SpringUploads.Upload sent = new SpringUploads.Upload();
            sent.keyId = sent.signature = sent.challenge = new byte[] {1};
            sent.photo = PHOTO;
            equal(List.of(201, Map.of("then", "done")), shown(uploads.upload("Alice", sent)));
            equal(List.of(403, Map.of("then", "new_challenge")), shown(uploads.upload("Alice", sent)));
            equal(List.of(403, Map.of("then", "give_up")), shown(uploads.upload("Alice", sent)));
            AssayException error = AllTests.thrown(AssayException.class, () -> uploads.upload("Alice", sent));
            equal(List.of(503, Map.of("then", "later")), shown(uploads.noVerdict(error)));
            AssayException wrong = AllTests.thrown(AssayException.class, () -> uploads.upload("Alice", sent));
            equal(List.of(400, Map.of("then", "give_up")), shown(uploads.noVerdict(wrong)));
        }
        equal("/uploads", method("upload").getAnnotation(PostMapping.class).value());
        equal(AssayException.class, method("noVerdict").getAnnotation(ExceptionHandler.class).value());
    }

    private static List<Object> shown(ResponseEntity<Map<String, String>> answer) {
        return List.of(answer.getStatusCodeValue(), answer.getBody());
    }

    private static Method method(String name) {
        return List.of(SpringUploads.class.getMethods()).stream().filter(each -> each.getName().equals(name)).findFirst().get();
    }

    /** The conformance suite starts a daemon, and says where it is. */
    @Test
    void takesAnUploadOfADeviceWithADaemon() throws Exception {
        String daemon = System.getenv("ASSAY_DEV_URL");
        if (daemon == null) {
            System.out.println("not run: takesAnUploadOfADeviceWithADaemon; clients/conformance/run.py starts a daemon");
            return;
        }
        Path device = Path.of(System.getenv("ASSAY_DEV_FOLDER"), "android");
        String issued = post(daemon, "/challenges", "");
        equal("200 ", issued.substring(0, 4));
        String challenge = (String) ((Map<?, ?>) Json.parse(issued.substring(4).getBytes(StandardCharsets.UTF_8))).get("challenge");
        Path photo = Files.createTempFile("assay-client", ".photo");
        Files.write(photo, PHOTO);
        Process assay =
                new ProcessBuilder(
                                Path.of(System.getenv("ASSAY_BIN"), "assay").toString(), "simulate", "android", "sign", device.toString(),
                                "--challenge", challenge, "--payload", photo.toString())
                        .redirectError(ProcessBuilder.Redirect.INHERIT).start();
        String signature = new String(assay.getInputStream().readAllBytes(), StandardCharsets.UTF_8).trim();
        equal(0, assay.waitFor());
        Files.delete(photo);
        Map<String, Object> upload = new LinkedHashMap<>(UPLOAD);
        upload.putAll(Map.of("key_id", Files.readString(device.resolve("key-id")).trim(), "signature", signature, "challenge", challenge));
        Map<String, Object> exchanged = new LinkedHashMap<>(upload);
        exchanged.put("photo", "AAAA");
        equal("403", post(daemon, "/uploads", Json.write(exchanged), true).substring(0, 3));
        equal(DONE, post(daemon, "/uploads", Json.write(upload), true));
        equal(DONE, post(daemon, "/uploads", Json.write(upload), true));
        equal("403 {\"then\":\"give_up\"}", post(daemon, "/uploads", Json.write(upload)));
    }
}
