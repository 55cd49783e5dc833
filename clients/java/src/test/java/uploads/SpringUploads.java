package uploads;

import static java.nio.charset.StandardCharsets.UTF_8;
import assay.client.*;
import java.util.*;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.*;

@RestController
public class SpringUploads {
    public static class Upload {
        public byte[] keyId, signature, challenge, photo; // Jackson reads and writes Base64
    }

    private final AssayClient assay; // a bean of yours

    public SpringUploads(AssayClient assay) {
        this.assay = assay;
    }

    @PostMapping("/challenges")
    public Map<String, byte[]> challenge(@RequestHeader("User") String user) { // the user stands for your sessions
        IssueChallengeRequest request = new IssueChallengeRequest("photos", Purpose.ASSERT).context(user.getBytes(UTF_8));
        return Map.of("challenge", assay.issueChallenge(request).challenge);
    }

    @PostMapping("/uploads")
    public ResponseEntity<Map<String, String>> upload(@RequestHeader("User") String user, @RequestBody Upload sent) {
        Verdict verdict = assay.verify(new VerifyRequest("photos", Purpose.ASSERT)
                .challenge(sent.challenge).context(user.getBytes(UTF_8))
                .evidence(Evidence.keySignature(sent.keyId, SignatureAlgorithm.ECDSA_P256_SHA256, sent.signature))
                .binding(Binding.payload(sent.photo)).idempotencyKey(UUID.nameUUIDFromBytes(sent.challenge).toString()));
        boolean isGood = verdict.accepted() && !verdict.simulated; // then store the photo
        String refused = verdict.retry == Retry.UNSPECIFIED ? "give_up" : verdict.retry.text();
        return ResponseEntity.status(isGood ? 201 : 403).body(Map.of("then", isGood ? "done" : refused));
    }

    @ExceptionHandler(AssayException.class)
    public ResponseEntity<Map<String, String>> noVerdict(AssayException error) {
        boolean isWrong = error.code() == Code.INVALID_ARGUMENT;
        return ResponseEntity.status(isWrong ? 400 : 503).body(Map.of("then", isWrong ? "give_up" : "later"));
    }
}
