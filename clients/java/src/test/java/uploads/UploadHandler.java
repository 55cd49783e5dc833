package uploads;

import assay.client.*;
import com.sun.net.httpserver.*;
import java.util.*;

public final class UploadHandler {
    static boolean takesSimulated = !System.getenv().getOrDefault("SIMULATED", "").isEmpty(); // virtual devices, for a trial

    public static void main(String[] arguments) throws Exception {
        AssayClient assay = AssayClient.at(System.getenv("ASSAY_URL")).timeout(java.time.Duration.ofSeconds(5)).build();
        serve(HttpServer.create(new java.net.InetSocketAddress("127.0.0.1", 8080), 0), assay);
    }

    static void serve(HttpServer server, AssayClient assay) {
        server.createContext("/", exchange -> {
            String[] answer = handle(assay, exchange).split(" ");
            byte[] body = Json.write(Map.of(answer[1], answer[2])).getBytes("UTF-8");
            exchange.getResponseHeaders().set("Content-Type", "application/json");
            exchange.sendResponseHeaders(Integer.parseInt(answer[0]), body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        server.setExecutor(java.util.concurrent.Executors.newFixedThreadPool(16));
        server.start();
    }

    static String handle(AssayClient assay, HttpExchange exchange) {
        try {
            byte[] user = exchange.getRequestHeaders().getFirst("User").getBytes("UTF-8"); // stands for your sessions
            if (exchange.getRequestURI().getPath().equals("/challenges")) {
                Challenge issued = assay.issueChallenge(new IssueChallengeRequest("photos", Purpose.ASSERT).context(user));
                return "200 challenge " + Base64.getEncoder().encodeToString(issued.challenge);
            }
            Map<?, ?> sent = (Map<?, ?>) Json.parse(exchange.getRequestBody().readNBytes(20 << 20));
            java.util.function.Function<String, byte[]> part = name -> Base64.getDecoder().decode((String) sent.get(name));
            byte[] challenge = part.apply("challenge"), photo = part.apply("photo"), signature = part.apply("signature");
            Verdict verdict = assay.verify(new VerifyRequest("photos", Purpose.ASSERT).challenge(challenge).context(user)
                    .evidence(Evidence.keySignature(part.apply("key_id"), SignatureAlgorithm.ECDSA_P256_SHA256, signature))
                    .binding(Binding.payload(photo)).idempotencyKey(UUID.nameUUIDFromBytes(challenge).toString()));
            if (verdict.accepted() && (!verdict.simulated || takesSimulated)) return "201 then done"; // store the photo
            return "403 then " + (verdict.retry == Retry.UNSPECIFIED ? "give_up" : verdict.retry.text()); // log verdict.requestId
        } catch (Exception error) { // log it
            boolean isWrong = !(error instanceof AssayException) || ((AssayException) error).code() == Code.INVALID_ARGUMENT;
            return isWrong ? "400 then give_up" : "503 then later";
        }
    }
}
