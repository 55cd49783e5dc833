package assay.client;

import java.util.List;

/** What is kept of an accepted verdict. */
public final class FoundVerdict {
    public final byte[] requestId;
    public final Decision decision;
    /** The name of {@link #decision}, also one that this version does not know; empty for none. */
    public final String decisionName;
    public final Assurance assurance;
    /** The name of {@link #assurance}, also one that this version does not know; empty for none. */
    public final String assuranceName;
    public final long decidedAtUnixMs;
    public final List<String> formats;
    public final String platform;
    public final Match match;
    /** The name of {@link #match}, also one that this version does not know; empty for none. */
    public final String matchName;
    public final boolean simulated;
    public final RegistryState deviceState;
    /** The name of {@link #deviceState}, also one that this version does not know; empty for none. */
    public final String deviceStateName;

    FoundVerdict(Fields fields) throws Fields.Undecodable {
        requestId = fields.bytes("requestId");
        decisionName = fields.name("decision", "DECISION_");
        decision = Fields.value(decisionName, Decision.UNSPECIFIED, Decision.UNRECOGNIZED);
        String assuranceText = fields.name("assurance", "ASSURANCE_");
        assuranceName = assuranceText.isEmpty() ? "NONE" : assuranceText;
        assurance = Fields.value(assuranceName, Assurance.NONE, Assurance.UNRECOGNIZED);
        decidedAtUnixMs = fields.integer("decidedAtUnixMs");
        formats = fields.texts("formats");
        platform = fields.text("platform");
        matchName = fields.name("match", "MATCH_");
        match = Fields.value(matchName, Match.UNSPECIFIED, Match.UNRECOGNIZED);
        simulated = fields.bool("simulated");
        deviceStateName = fields.name("deviceState", "DEVICE_STATE_");
        deviceState = Fields.value(deviceStateName, RegistryState.UNSPECIFIED, RegistryState.UNRECOGNIZED);
    }
}
