package assay.client;

import java.util.Collections;
import java.util.Map;

/** The keys by which signed results are checked. */
public final class ResultKeys {
    /** {@code iss} of the results. */
    public final String issuer;
    /** The JWK Set (RFC 7517) as JSON text. */
    public final String jwks;
    /** The JSON of the answer, for members that are newer than this client. */
    public final Map<String, Object> raw;

    ResultKeys(Fields fields) throws Fields.Undecodable {
        issuer = fields.text("issuer");
        jwks = fields.text("jwks");
        raw = Collections.unmodifiableMap(fields.raw);
    }
}
