package assay.client;

import java.util.Collections;
import java.util.List;
import java.util.Map;

/** One attested key of one app. */
public final class Device {
    public final byte[] deviceId;
    public final String app;
    /** Of the evidence that registered it. */
    public final String format;
    public final byte[] keyId;
    public final byte[] publicKey;
    public final String environment;
    public final DeviceState state;
    /** The name of {@link #state}, also one that this version does not know; empty for none. */
    public final String stateName;
    /** Of the first block that holds. */
    public final String blockReason;
    public final long blockedAtUnixMs;
    /** The highest accepted counter. */
    public final long counter;
    public final long registeredAtUnixMs;
    public final long lastAcceptedAtUnixMs;
    public final List<Claim> claims;
    /** Registered through a test root. */
    public final boolean simulated;
    public final boolean hasSubject;
    public final boolean imported;
    /** The JSON of the answer, for members that are newer than this client. */
    public final Map<String, Object> raw;

    Device(Fields fields) throws Fields.Undecodable {
        deviceId = fields.bytes("deviceId");
        app = fields.text("app");
        format = fields.text("format");
        keyId = fields.bytes("keyId");
        publicKey = fields.bytes("publicKey");
        environment = fields.text("environment");
        stateName = fields.name("state", "STATE_");
        state = Fields.value(stateName, DeviceState.UNSPECIFIED, DeviceState.UNRECOGNIZED);
        blockReason = fields.text("blockReason");
        blockedAtUnixMs = fields.integer("blockedAtUnixMs");
        counter = fields.number("counter");
        registeredAtUnixMs = fields.integer("registeredAtUnixMs");
        lastAcceptedAtUnixMs = fields.integer("lastAcceptedAtUnixMs");
        claims = fields.messages("claims", Claim::new);
        simulated = fields.bool("simulated");
        hasSubject = fields.bool("hasSubject");
        imported = fields.bool("imported");
        raw = Collections.unmodifiableMap(fields.raw);
    }
}
