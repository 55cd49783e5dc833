/** What is answered. A member that the answer leaves out has its default; a message, or a member of a choice, is left out here too. */

/// <reference types="node" />
import type {
    Assurance, BoundToMode, ConfidenceCrossValidation, ConfidenceHardwareStatus, ConfidenceLevel, ConfidencePartOutcome,
    ConfidencePartSource, ConfidenceSignals, Decision, DeviceBlockKind, DeviceCertificateKeyProtection, DeviceState, FindingOutcome,
    FoundVerdictDeviceState, FoundVerdictMatch, Purpose, ResultShape, RetryClass, RevocationReason, VerdictLimit,
} from './enumerations.js';

/** A value of JSON. An integer that a number cannot hold exactly is a bigint. */
export type JSONValue = null | boolean | number | bigint | string | JSONValue[] | JSONObject;
export type JSONObject = { [name: string]: JSONValue };

/** What a method answered, with members that are newer than this client. */
export interface Answer {
    /** The JSON as it came. */
    readonly raw: JSONObject;
}

export interface IssueChallengeResponse extends Answer {
    /** 54 bytes, opaque to clients. */
    challenge: Buffer;
    expiresAtUnixMs: bigint;
}

export interface Finding {
    /** The name of the check, for example "nonce". Prefixed by the evidence's format where several were given. */
    check: string;
    outcome: FindingOutcome;
    /** A reason code for FAIL, a word for NOTE, otherwise empty. */
    code: string;
    detail: string;
    /** The code of another system for `code`, as the plugin declared it. Empty: none. */
    vendorCode: string;
}

export interface TextList {
    values: string[];
}

export interface Claim {
    name: string;
    text?: string;
    integer?: bigint;
    boolean?: boolean;
    bytes?: Buffer;
    texts?: TextList;
    timeUnixMs?: bigint;
}

/** What the device's signature covers. */
export interface BoundTo {
    mode: BoundToMode;
    /** SHA-256 of the payload; empty where none is bound or only the caller knows. */
    payloadSha256: Buffer;
    /** What the platform signed over. */
    clientDataHash: Buffer;
}

export interface FeedSnapshot {
    feed: string;
    id: string;
    ageMs: number;
}

/** A number from 0 to 1. */
export interface ConfidenceScore {
    millionths: number;
}

export interface ConfidenceHardware {
    status: ConfidenceHardwareStatus;
    /** strongbox, secure_enclave, secure_element, tee, software or none. */
    level: string;
}

/** A check of the profile mvp, or a row of another profile's table. */
export interface ConfidencePart {
    name: string;
    /** Of a check. Of a row only UNAVAILABLE, where it does not count. */
    outcome: ConfidencePartOutcome;
    score?: ConfidenceScore;
    /** As in the table, before missing weights are distributed. */
    weight?: ConfidenceScore;
    contribution?: ConfidenceScore;
    /** Who measured the signal. Unspecified where there is none, and for what a document of version 1 states. */
    source: ConfidencePartSource;
}

/** The confidence in a capture, of attestation and signals. docs/concepts/confidence.md has the tables and formulas. */
export interface Confidence {
    level: ConfidenceLevel;
    /** After cross-validation. Left out by the profile mvp, and where no signal counts. */
    score?: ConfidenceScore;
    /** mvp, weighted or suite. */
    profile: string;
    /** ios or android, as the attestation says; empty if it does not say. */
    platform: string;
    hardware?: ConfidenceHardware;
    signals: ConfidenceSignals;
    /**
     * SHA-256 of each file of the capture, as the signed document has them. Compare them with the files that arrived. Empty unless the
     * signals count.
     */
    mediaSha256: Buffer[];
    breakdown: ConfidencePart[];
    /** Before cross-validation. */
    weightedScore?: ConfidenceScore;
    /** The highest level that hardware and cross-validation allow; unspecified in the profile mvp. */
    ceiling: ConfidenceLevel;
    crossValidation: ConfidenceCrossValidation;
    /** All of this as the evidence model, to be kept or shown beside the capture. */
    evidenceModelJson: string;
    /** The level among HIGH, MEDIUM, LOW and SUSPICIOUS, for callers that know no others. */
    levelOfFour: ConfidenceLevel;
    /** In the profile suite: the mean absolute deviation of the scores that count. */
    disagreementScore?: ConfidenceScore;
    /** In the profile suite: iphone_lidar, iphone or android; empty where the platform is not known. */
    deviceKind: string;
}

/** Why an accepted verdict has no signed result. */
export interface ResultProblem {
    /** A stable word of docs/reference/results.md. */
    code: string;
    /** For people. */
    sentence: string;
}

/** What came of a result that was asked for. The verdict beside it holds in either case. */
export interface SignedResult {
    shape: ResultShape;
    audience: string;
    /** A token in ASCII. */
    text?: string;
    /** A token in CBOR. */
    binary?: Buffer;
    /** Nothing was signed. */
    problem?: ResultProblem;
    /** The token's `jti` or `cti`, for logs. */
    id: Buffer;
    /** When the token ends; 0: there is none. */
    expiresAtUnixMs: bigint;
}

/** Why evidence would be rejected if the app enforced the verdict. */
export interface WouldReject {
    /** As a rejection would have them: a stable code of docs/reference/reason-codes.md, a sentence, the check that said so, and what may be done. */
    reason: string;
    detail: string;
    check: string;
    retry: RetryClass;
}

/** The answer to evidence. A rejection is an answer, not an error. */
export interface Verdict extends Answer {
    /** Whether `decision` is ACCEPTED: nothing else permits anything. */
    accepted: boolean;
    decision: Decision;
    /** How strong the evidence is; NONE when rejected, and with would_reject. */
    assurance: Assurance;
    /** When rejected: a stable code of docs/reference/reason-codes.md, a sentence, the check that said so, and what may be done. */
    reason: string;
    detail: string;
    check: string;
    retry: RetryClass;
    /** Every check in order, and what was noticed on the way. */
    findings: Finding[];
    /** What authenticated evidence says. Empty if the evidence is not authentic. */
    claims: Claim[];
    /** The device record that was made or used: 16 bytes. Empty when rejected before it was known. */
    deviceId: Buffer;
    bound?: BoundTo;
    /** SHA-256, see docs/concepts/challenges.md. */
    evidenceDigest: Buffer;
    /** SHA-256 of the app's policy as it was in force. */
    policyDigest: Buffer;
    /** Versions of the trust feeds that were used. Empty where none is. */
    feeds: FeedSnapshot[];
    /** Trust rests on a test root: never a real device. ACCEPTED only by apps that say accept_simulated. */
    simulated: boolean;
    /** The stored verdict of an equal request made before: do not act twice. */
    repeated: boolean;
    /** 16 bytes that name this verdict in logs and audit; no other has them. */
    requestId: Buffer;
    decidedAtUnixMs: bigint;
    /**
     * The confidence in the capture, for apps with a section confidence. It never lifts a verdict: when rejected its level is REJECTED,
     * unless the level is the reason (confidence_too_low).
     */
    confidence?: Confidence;
    /** One for each that was asked for, in that order, if the verdict is ACCEPTED. With would_reject none is signed: each says so. */
    results: SignedResult[];
    /** What an ACCEPTED verdict does not say, so that nothing is read into it; docs/reference/results.md has the list. */
    limits: VerdictLimit[];
    /**
     * Set if the evidence was judged REJECTED and is answered ACCEPTED because the app does not enforce the verdict
     * (docs/operate/monitor-mode.md). Nothing was registered and no counter advanced. The other fields are those of the rejection, but for
     * decision, reason, detail, check and retry.
     */
    wouldReject?: WouldReject;
}

export interface DeviceCertificateRevocation {
    reason: RevocationReason;
    revokedAtUnixMs: bigint;
}

/** What identifies a certificate. */
export interface CertificateName {
    /** SHA-256 of the issuing CA's SubjectPublicKeyInfo. */
    issuerSpkiSha256: Buffer;
    /** The serial number as an unsigned big-endian integer. */
    serial: Buffer;
}

/** A certificate on record. */
export interface DeviceCertificate {
    /** DER. Empty after the device was forgotten. */
    certificate: Buffer;
    /** The serial number as an unsigned big-endian integer. */
    serial: Buffer;
    /** SHA-256 of the issuing CA's SubjectPublicKeyInfo. */
    issuerSpkiSha256: Buffer;
    app: string;
    deviceId: Buffer;
    /** SHA-256 of the certified key's SubjectPublicKeyInfo. */
    keyId: Buffer;
    notBeforeUnixMs: bigint;
    notAfterUnixMs: bigint;
    issuedAtUnixMs: bigint;
    assurance: Assurance;
    keyProtection: DeviceCertificateKeyProtection;
    /** The format of the evidence that registered the device. */
    platform: string;
    policyDigest: Buffer;
    /** Trust rests on a test root. */
    simulated: boolean;
    /** Left out unless it is revoked. */
    revocation?: DeviceCertificateRevocation;
    /** The certificate that it was renewed from. Left out if it was issued in another way, or before renewals were recorded. */
    renewedFrom?: CertificateName;
}

export interface IssueCertificateResponse extends Answer {
    /** ACCEPTED if, and only if, the certificate was issued. */
    verdict: Verdict;
    certificate?: DeviceCertificate;
    /** The CA's certificates (DER), the issuer first. */
    chain: Buffer[];
}

export interface ProvisionDeviceResponseKeyTable {
    /** 1000 keys of 32 bytes. */
    keys: Buffer[];
}

export interface ProvisioningRejection {
    /** A stable code of docs/reference/reason-codes.md, a sentence, and what may be done. */
    reason: string;
    detail: string;
    retry: RetryClass;
}

export interface ProvisionDeviceResponse extends Answer {
    /** Whether the device was provisioned: there is a certificate, and no rejection. */
    provisioned: boolean;
    /** DER. */
    deviceCertificate: Buffer;
    /** The CA's certificates (DER), the issuer first. */
    certificateChain: Buffer[];
    /** Three, in the order of key_table_indices. */
    keyTables: ProvisionDeviceResponseKeyTable[];
    /** Three different ones of 0 to 2499. */
    keyTableIndices: number[];
    /** 32 bytes. */
    deviceSecret: Buffer;
    /** PKCS#8 (DER), only if Assay made the key, and only in the first answer. */
    devicePrivateKey: Buffer;
    /** The device record that was made: 16 bytes. */
    deviceId: Buffer;
    /** The answer to an equal request made before. */
    repeated: boolean;
    /** Set, and all other fields empty, if the device was not provisioned. */
    rejection?: ProvisioningRejection;
}

export interface DeviceBlock {
    kind: DeviceBlockKind;
    reason: string;
    sinceUnixMs: bigint;
}

export interface DeviceNoLongerGood {
    /** The code that the rejection would have, its check, and a sentence for people. */
    code: string;
    check: string;
    detail: string;
}

export interface DeviceCertificates {
    /** Neither revoked nor ended. */
    good: number;
    revoked: number;
    /** Ended and not revoked. */
    expired: number;
}

/** A mark that blocks nothing: the app's policy decides what follows. */
export interface DeviceFlag {
    /** [a-z0-9_]{1,32}. */
    name: string;
    /** The id of the plugin that set it. Empty: a caller did. */
    plugin: string;
    /** For operators, at most 256 bytes; may be empty. */
    detail: string;
    sinceUnixMs: bigint;
    untilUnixMs: bigint;
    /** The name of the caller that set it. Empty: a plugin did. */
    caller: string;
}

/** One attested key of one app. */
export interface Device extends Answer {
    deviceId: Buffer;
    app: string;
    /** The format of the evidence that registered it. */
    format: string;
    keyId: Buffer;
    /** Uncompressed X9.63 point. */
    publicKey: Buffer;
    environment: string;
    state: DeviceState;
    /** Of the first block that holds. */
    blockReason: string;
    blockedAtUnixMs: bigint;
    /** The highest accepted counter. */
    counter: number;
    registeredAtUnixMs: bigint;
    lastAcceptedAtUnixMs: bigint;
    /** SHA-256 of the anchor's SubjectPublicKeyInfo. Empty where the device was imported. */
    anchorSpkiSha256: Buffer;
    claims: Claim[];
    chainSerials: Buffer[];
    /** Length of the stored platform receipt, 0 where there is none. */
    receiptLength: number;
    /** Registered through a test root. */
    simulated: boolean;
    /** True if the record is tied to a subject. */
    hasSubject: boolean;
    /** True if an operator vouched for the key: no chain was seen here. */
    imported: boolean;
    /** Every block that holds: the device's own, its subject's, its key's. */
    blocks: DeviceBlock[];
    /**
     * Set if the device's next evidence would be refused, as far as that follows from its record and today's policy, anchors and
     * revocation list. Not set for a blocked device, and for one whose evidence a plugin judges.
     */
    noLongerGood?: DeviceNoLongerGood;
    /** The certificates that were issued for it, by their state. Not set: none was. */
    certificates?: DeviceCertificates;
    /** The flags that stand on it, at most 8. */
    flags: DeviceFlag[];
}

export interface ListDevicesResponse extends Answer {
    /** Without claims, chain serials and public key, which Get has. May be few or none although more pages follow. */
    devices: Device[];
    /** Opaque, at most 64 bytes. Empty: this was the last page. */
    nextPageToken: Buffer;
}

export interface BlockResponse extends Answer {
    /** Registered devices that the target names. */
    devices: number;
    /** It was blocked before. */
    wasBlocked: boolean;
    /** Certificates that the block revoked: those of the devices, and of a key its own and those that were renewed from it. */
    revokedCertificates: number;
}

export interface UnblockResponse extends Answer {
    /** Registered devices that the target names. */
    devices: number;
    /** False: there was nothing to lift. */
    wasBlocked: boolean;
    /** Those of the devices that other blocks keep blocked. */
    stillBlocked: number;
}

/** What is kept of an accepted verdict for look-ups. It names neither the device nor the subject. */
export interface FoundVerdict {
    /** 16 bytes that name the verdict in logs and audit. */
    requestId: Buffer;
    /** ACCEPTED: others are not kept. */
    decision: Decision;
    assurance: Assurance;
    decidedAtUnixMs: bigint;
    purpose: Purpose;
    /** The formats of the evidence, in order. */
    formats: string[];
    /** ios or android, as the attestation says; empty if it does not say. */
    platform: string;
    match: FoundVerdictMatch;
    /** Trust rests on a test root: never a real device. */
    simulated: boolean;
    deviceState: FoundVerdictDeviceState;
    /** For apps with a section confidence. */
    confidenceLevel: ConfidenceLevel;
    confidenceScore?: ConfidenceScore;
    /** The evidence model as the verdict had it, byte for byte. */
    evidenceModelJson: string;
    /** What the verdict means, and what it does not, for people; and the stable word for it (docs/concepts/look-up.md). */
    note: string;
    noteCode: string;
    /** What the verdict does not say. */
    limits: VerdictLimit[];
}

export interface FindVerdictsResponse extends Answer {
    /** As asked, so that a signed answer says what it is about. */
    app: string;
    payloadSha256: Buffer;
    /** Whether an accepted verdict on exactly these bytes is kept. */
    found: boolean;
    answeredAtUnixMs: bigint;
    /** The newest first, at most 10. */
    verdicts: FoundVerdict[];
    /** Older ones are kept too, and are not in the answer. */
    truncated: boolean;
    /** If nothing was found: what that means, and what it does not, for people; and the stable word for it. */
    note: string;
    noteCode: string;
    /** One for each that was asked for, in that order. What is signed is this message without them. */
    results: SignedResult[];
}

export interface ResultProfile {
    shape: ResultShape;
    /** `typ` of the token's header. */
    type: string;
    /** The text that the shape follows, and its version. */
    specification: string;
}

export interface GetResultKeysResponse extends Answer {
    /** `iss` of the results, and the base of the issuer's addresses. */
    issuer: string;
    /** The JWK Set (RFC 7517) as JSON text: the keys that sign now, that sign next, and that signed what has not ended yet. */
    jwks: string;
    /** The shapes that this version signs. */
    profiles: ResultProfile[];
}

export interface WhoAmIResponseRate {
    /** caller, caller_in_app or app. */
    limit: string;
    /** Empty for the limit over all apps. */
    app: string;
    /** What is counted: challenges, verdicts or lookups. */
    use: string;
    /** As the configuration has it, such as 100/h burst 20. */
    rate: string;
    burst: number;
    /** Requests that are allowed now. */
    left: number;
    /** When the next one is, in milliseconds; 0: now. */
    retryAfterMs: number;
}

export interface WhoAmIResponse extends Answer {
    /** The name in the configuration and in the audit log. */
    name: string;
    /** What the caller was recognised by: unix_user, uri, dns, key, loopback_demo or unauthenticated_network. Further words may be added. */
    recognisedBy: string;
    /** The user's id, the name in the certificate, or the key's name; empty where there is none. */
    mark: string;
    roles: string[];
    /** Whether the caller may name every app, also those that are configured later. */
    allApps: boolean;
    /** The apps of the configuration that the caller may name. */
    apps: string[];
    /** The rates that the caller's requests are counted by, without those of addresses and devices. */
    rates: WhoAmIResponseRate[];
}
