package assay.client;

import java.util.Collections;
import java.util.List;
import java.util.Map;

/** Accepted verdicts on a file. */
public final class FoundVerdicts {
    /** Whether an accepted verdict on exactly these bytes is kept. */
    public final boolean found;
    public final long answeredAtUnixMs;
    /** The newest first, at most 10. */
    public final List<FoundVerdict> verdicts;
    /** Older ones are kept too, and are not in the answer. */
    public final boolean truncated;
    /** If nothing was found: what that means, for people. */
    public final String note;
    /** The stable word for it. */
    public final String noteCode;
    /** One for each that was asked for, in that order. */
    public final List<SignedResult> results;
    /** The JSON of the answer, for members that are newer than this client. */
    public final Map<String, Object> raw;

    FoundVerdicts(Fields fields) throws Fields.Undecodable {
        found = fields.bool("found");
        answeredAtUnixMs = fields.integer("answeredAtUnixMs");
        verdicts = fields.messages("verdicts", FoundVerdict::new);
        truncated = fields.bool("truncated");
        note = fields.text("note");
        noteCode = fields.text("noteCode");
        results = fields.messages("results", SignedResult::new);
        raw = Collections.unmodifiableMap(fields.raw);
    }
}
