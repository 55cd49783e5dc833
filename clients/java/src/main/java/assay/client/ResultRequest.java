package assay.client;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A signed result that is asked for beside a verdict or a look-up. The setters return the request itself. */
public final class ResultRequest {
    private final ResultShape shape;
    private final String audience;
    private byte[] nonce = new byte[0];

    /**
     * @param audience the receiver of the result, one of the audiences that the app's configuration lists
     */
    public ResultRequest(ResultShape shape, String audience) {
        this.shape = shape;
        this.audience = audience;
    }

    /** 8 to 64 bytes that the audience gave the caller. */
    public ResultRequest nonce(byte[] nonce) {
        this.nonce = nonce;
        return this;
    }

    static List<Object> json(List<ResultRequest> results) {
        List<Object> asked = new ArrayList<>();
        results.forEach(result -> asked.add(result.json()));
        return asked;
    }

    private Map<String, Object> json() {
        return new Members().name("shape", "RESULT_SHAPE_", shape).text("audience", audience).bytes("nonce", nonce).finish();
    }
}
