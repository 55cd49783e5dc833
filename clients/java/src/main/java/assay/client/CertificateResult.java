package assay.client;

import java.util.Collections;
import java.util.List;
import java.util.Map;

/** The verdict, and the certificate if it is accepted. */
public final class CertificateResult {
    public final Verdict verdict;
    /** DER; empty if none was issued. */
    public final byte[] certificate;
    public final long notAfterUnixMs;
    /** The CA's certificates (DER), the issuer first. */
    public final List<byte[]> chain;
    /** The JSON of the answer, for members that are newer than this client. */
    public final Map<String, Object> raw;

    CertificateResult(Fields fields, boolean isKeyRandom) throws Fields.Undecodable {
        verdict = fields.message("verdict", members -> new Verdict(members, isKeyRandom));
        certificate = fields.message("certificate", members -> members.bytes("certificate"));
        notAfterUnixMs = fields.message("certificate", members -> members.integer("notAfterUnixMs"));
        chain = fields.byteTexts("chain");
        raw = Collections.unmodifiableMap(fields.raw);
    }
}
