package assay.client;

import java.util.Collections;
import java.util.List;
import java.util.Map;

/** The answer to evidence. A rejection is an answer, and no error. */
public final class Verdict {
    public final Decision decision;
    /** The name of {@link #decision}, also one that this version does not know; empty for none. */
    public final String decisionName;
    /** How strong the evidence is. */
    public final Assurance assurance;
    /** The name of {@link #assurance}, also one that this version does not know; empty for none. */
    public final String assuranceName;
    /** When rejected: a stable code of {@code docs/reference/reason-codes.md}. */
    public final String reason;
    /** A sentence for people. */
    public final String detail;
    /** The check that said so. */
    public final String check;
    /** What may be done. */
    public final Retry retry;
    /** The name of {@link #retry}, also one that this version does not know; empty for none. */
    public final String retryName;
    /** Every check in order, and what was noticed on the way. */
    public final List<Finding> findings;
    /** What authenticated evidence says: a text, a {@code Long} (integers and times in ms), a {@code Boolean}, a {@code byte[]}, or a list of texts. */
    public final Map<String, Object> claims;
    /** The device record that was made or used: 16 bytes. Empty when rejected before it was known. */
    public final byte[] deviceId;
    public final Bound bound;
    public final byte[] evidenceDigest;
    public final byte[] policyDigest;
    /** Trust rests on a test root: never a real device. */
    public final boolean simulated;
    /** This verdict was given before: do not act twice. */
    public final boolean repeated;
    /** 16 bytes that name this verdict in logs and audit. */
    public final byte[] requestId;
    public final long decidedAtUnixMs;
    /** One for each that was asked for, in that order, if the verdict is accepted. */
    public final List<SignedResult> results;
    /** What an accepted verdict does not say: names without {@code VERDICT_LIMIT_}. */
    public final List<String> limits;
    /** The app does not enforce this verdict: why it would be rejected. Otherwise null. */
    public final WouldReject wouldReject;
    /** The JSON of the answer, for members that are newer than this client. */
    public final Map<String, Object> raw;

    /** @param isKeyRandom the caller did not have the key: a verdict that a try of the same call repeats is new to it */
    Verdict(Fields fields, boolean isKeyRandom) throws Fields.Undecodable {
        decisionName = fields.name("decision", "DECISION_");
        decision = Fields.value(decisionName, Decision.UNSPECIFIED, Decision.UNRECOGNIZED);
        String assuranceText = fields.name("assurance", "ASSURANCE_");
        assuranceName = assuranceText.isEmpty() ? "NONE" : assuranceText;
        assurance = Fields.value(assuranceName, Assurance.NONE, Assurance.UNRECOGNIZED);
        reason = fields.text("reason");
        detail = fields.text("detail");
        check = fields.text("check");
        retryName = fields.name("retry", "RETRY_CLASS_");
        retry = Fields.value(retryName, Retry.UNSPECIFIED, Retry.UNRECOGNIZED);
        findings = fields.messages("findings", Finding::new);
        claims = Claim.byName(fields.messages("claims", Claim::new));
        deviceId = fields.bytes("deviceId");
        bound = fields.message("bound", Bound::new);
        evidenceDigest = fields.bytes("evidenceDigest");
        policyDigest = fields.bytes("policyDigest");
        simulated = fields.bool("simulated");
        repeated = fields.bool("repeated") && !(isKeyRandom && findings.stream().noneMatch(finding -> finding.code.equals("statement_repeated")));
        requestId = fields.bytes("requestId");
        decidedAtUnixMs = fields.integer("decidedAtUnixMs");
        results = fields.messages("results", SignedResult::new);
        limits = fields.names("limits", "VERDICT_LIMIT_");
        wouldReject = fields.optional("wouldReject", WouldReject::new);
        raw = Collections.unmodifiableMap(fields.raw);
    }

    /** Only this permits the action. */
    public boolean accepted() {
        return decision == Decision.ACCEPTED;
    }
}
