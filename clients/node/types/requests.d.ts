/** What is asked. Members that are left out have their default. An idempotency key is an option of the call. */

import type { DeviceState, KeySignatureAlgorithm, Purpose, ResultShape, VerifyRequestReport } from './enumerations.js';

export interface IssueChallengeRequest {
    /** The app, [a-z0-9._-]{1,64}. */
    app: string;
    purpose: Purpose;
    /** The caller's session or account, at most 64 bytes; must be repeated at Verify. */
    context?: Uint8Array;
    /** How long the challenge is good. 0: the app's default (5 minutes). At most 1 hour. */
    ttlMs?: number;
    /** As in VerifyRequest. */
    sourceAddress?: string;
}

/** The result of DCAppAttestService.attestKey. */
export interface AppAttestAttestation {
    /** The key id as raw bytes: 32, decoded from the standard Base64 text that generateKey returns. */
    keyId: Uint8Array;
    /** The attestation object (CBOR), at most 32 KiB. */
    attestation: Uint8Array;
}

/** The result of DCAppAttestService.generateAssertion. */
export interface AppAttestAssertion {
    /** The key id as raw bytes: 32. The assertion itself does not carry it. */
    keyId: Uint8Array;
    /** The assertion (CBOR), at most 4 KiB. */
    assertion: Uint8Array;
}

/** The result of KeyStore.getCertificateChain, for a key that was made with setAttestationChallenge. */
export interface AndroidKeyAttestation {
    /** Each as DER, leaf first: 3 to 8, at most 16 KiB each. The root may be left out. */
    certificates: Uint8Array[];
}

/** The result of requestIntegrityToken (classic) or of a standard token provider's request. */
export interface PlayIntegrityToken {
    /** As it came, at most 64 KiB. */
    token: string;
}

/**
 * A signature by a registered key over the client data: how an Android device, or any other registered key that can sign messages, proves
 * itself after it was attested.
 */
export interface KeySignature {
    /** SHA-256 of the key's SubjectPublicKeyInfo: 32 bytes. */
    keyId: Uint8Array;
    algorithm: KeySignatureAlgorithm;
    /** At most 8 KiB. */
    signature: Uint8Array;
}

/** The members of a bundle, hashes decoded. */
export interface BundleFields {
    /** 32 bytes. */
    imageHash: Uint8Array;
    /** The certificate as it was submitted, since its text is signed: Base64 of the DER or of a PEM file. */
    cameraCert: string;
    /** Seconds since 1970. */
    timestamp: bigint;
    /** 32 bytes; empty: none. */
    gpsHash?: Uint8Array;
    /** ECDSA P-256 with SHA-256: 64 bytes (r, s), or DER. */
    bundleSignature: Uint8Array;
}

/** A bundle of which only the digest is shown. The time in it cannot be judged; the verdict says so. */
export interface BundleDigest {
    /** SHA-256 of the signed bytes: 32 bytes. */
    signedSha256: Uint8Array;
    /** As in BundleFields. */
    cameraCert: string;
    bundleSignature: Uint8Array;
}

/**
 * What a camera signed with the key of its device certificate. Alone in its request, for the purpose ASSERT, without a challenge. Exactly
 * one form, given once. The same bundle again, in whatever form and encoding, is the same statement: it is accepted again, marked
 * repeated.
 */
export interface CertificateBundle {
    /**
     * The JSON that the camera sent, as it came, at most 64 KiB: image_hash, camera_cert, timestamp, gps_hash (optional),
     * bundle_signature.
     */
    json?: Uint8Array;
    fields?: BundleFields;
    /** For callers that keep to themselves what was signed. */
    digest?: BundleDigest;
}

/** A SafetyNet attestation response. No device can make a fresh one: the answer is always a rejection. */
export interface SafetyNetResponse {
    jws: string;
}

/** Evidence of a format that has no message here. The daemon accepts it for an app whose configuration names a verifier of the format. */
export interface PluginEvidence {
    /** 1 to 64 characters of a-z, 0-9, '.', '_' and '-'; never a format that has a message here. */
    format: string;
    /** As the device sent it, at most 512 KiB; plugins can set a lower limit. */
    body: Uint8Array;
}

/** The result of DCDevice.generateToken. */
export interface DeviceCheckToken {
    /** Raw bytes, at most 8 KiB. */
    token: Uint8Array;
}

/**
 * A capture that a device signed while it had no challenge: a statement by a registered key over the time of the capture and its payload
 * (docs/concepts/offline.md has the signed bytes). For the purpose ASSERT, without challenge and binding; beside it stand parts of the payload
 * alone, as PluginEvidence. The same statement again is accepted again, marked repeated.
 */
export interface OfflineSignature {
    /** SHA-256 of the key's SubjectPublicKeyInfo: 32 bytes. */
    keyId: Uint8Array;
    algorithm: KeySignatureAlgorithm;
    /** At most 8 KiB. */
    signature: Uint8Array;
    /** When the capture was made, by the device's clock, in milliseconds since 1970. */
    capturedAtUnixMs: bigint;
    /** SHA-256 of the payload: 32 bytes, and not all zero. */
    payloadSha256: Uint8Array;
}

/**
 * What a device sent, as the platform made it. Nothing is decoded or renamed on the way. Exactly one kind, given once. A kind or any other
 * field that the daemon does not know is INVALID_ARGUMENT, and so is a kind that stands twice.
 */
export interface Evidence {
    appAttestAttestation?: AppAttestAttestation;
    appAttestAssertion?: AppAttestAssertion;
    androidKeyAttestation?: AndroidKeyAttestation;
    playIntegrityToken?: PlayIntegrityToken;
    keySignature?: KeySignature;
    certificateBundle?: CertificateBundle;
    safetyNetResponse?: SafetyNetResponse;
    pluginEvidence?: PluginEvidence;
    deviceCheckToken?: DeviceCheckToken;
    offlineSignature?: OfflineSignature;
}

export interface PayloadBinding {
    /**
     * SHA-256 of the payload, 32 bytes; empty where no payload is bound. 32 zero bytes are refused: they stand for no payload in what the
     * device signs.
     */
    payloadSha256?: Uint8Array;
    /**
     * A finished upload of the same caller and app, 16 bytes, in place of payload_sha256: the payload's SHA-256 is that of the upload
     * (Uploads.Begin). Empty: none. A request with an upload that is unknown, unfinished or expired is not judged, and spends nothing.
     */
    uploadId?: Uint8Array;
}

export interface EmbeddedBinding {
    /** The exact bytes whose SHA-256 the app gave to the platform. */
    clientData: Uint8Array;
}

export interface CallerOwnedBinding {
    /** The clientDataHash that the app gave to the platform, 1 to 64 bytes. */
    clientDataHash: Uint8Array;
}

export interface InEvidenceBinding {
}

/**
 * How the evidence is tied to this request. Exactly one mode, given once. A mode or any other field that the daemon does not know, here or
 * inside the mode, is INVALID_ARGUMENT, and so is a mode that stands twice: what a client wants bound is never taken for nothing.
 */
export interface Binding {
    /** Assay's own client data: "assay1", purpose, challenge, payload hash. See docs/concepts/challenges.md. */
    clientData?: PayloadBinding;
    /** The app's own client data, with the challenge at the place that the configuration names. */
    embedded?: EmbeddedBinding;
    /** A hash that the caller vouches for, freshness included. */
    callerOwned?: CallerOwnedBinding;
    /**
     * None: the evidence is a statement of its own. Implied when the binding is left out: for a certificate bundle, an offline signature,
     * and for evidence of plugins without a challenge.
     */
    inEvidence?: InEvidenceBinding;
}

/** A signed result that is asked for beside a verdict. Unknown fields are INVALID_ARGUMENT, since one could narrow what is signed. */
export interface ResultRequest {
    /** One of those that the app's section `results` allows. */
    shape: ResultShape;
    /** Whom the result is for: 1 to 256 bytes, one of the audiences that the app's section `results` lists. */
    audience: string;
    /** 8 to 64 bytes that the audience gave the caller, so that it knows the result to be new; empty: none. */
    nonce?: Uint8Array;
}

export interface VerifyRequest {
    app: string;
    /** REGISTER or ASSERT. */
    purpose: Purpose;
    /** As issued. Empty with a caller-owned binding, and for evidence that needs no challenge. */
    challenge?: Uint8Array;
    /** The context that the challenge was issued for. */
    context?: Uint8Array;
    /** 1 to 4 pieces, each of another kind, of one device. All must be good. */
    evidence: Evidence[];
    /**
     * Left out: client data without a payload. Given, it must name a mode that the daemon knows, and stand once: protobuf would merge two;
     * they are INVALID_ARGUMENT.
     */
    binding?: Binding;
    /**
     * The caller's account or user, at most 256 bytes, kept as a keyed hash. A device registered for one subject is refused for another.
     * While the subject is blocked the request is refused, whatever evidence comes with it.
     */
    subject?: Uint8Array;
    /** 16 bytes: refuse evidence of any other device. */
    expectedDeviceId?: Uint8Array;
    /**
     * The IP address of the caller's own client, as text; may be empty. Requests are counted by it where the app limits rates: all of an
     * IPv4 address, the first 64 bits of an IPv6 address. It is not stored or logged, and bears on no verdict.
     */
    sourceAddress?: string;
    /**
     * Signals about a capture, at most 64 KiB: the JSON document (docs/concepts/confidence.md) byte for byte as the app made it. They count only if
     * the payload that the device signed is their SHA-256.
     */
    signals?: Uint8Array;
    /**
     * 16 bytes, with REGISTER only: the device whose key the user has lost. The registration retires it in the same commit: its key is
     * unknown from then on, and its certificates are revoked. The app's `replaces` says which devices may be named: by default those that
     * were registered for the request's subject.
     */
    replacesDeviceId?: Uint8Array;
    /**
     * At most 4 signed results, for an ACCEPTED verdict: no two of the same shape for the same audience. What the app does not allow is
     * refused before anything is judged: PERMISSION_DENIED, `result_shape_not_allowed` or `result_audience_not_allowed`. They bear on no
     * verdict, and are no part of what makes requests under an idempotency key equal: each is signed again.
     */
    results?: ResultRequest[];
    /**
     * How much a rejection tells. A value that the daemon does not know is INVALID_ARGUMENT. It bears on neither decision nor reason, and
     * is no part of what makes requests under an idempotency key equal.
     */
    report?: VerifyRequestReport;
}

export interface IssueCertificateRequest {
    app: string;
    /** Issued for the purpose PROVISION. */
    challenge: Uint8Array;
    /** The context that the challenge was issued for. */
    context?: Uint8Array;
    /** 1 to 4 pieces, each of another kind, of one device. All must be good, and one must register a device or come from a registered one. */
    evidence: Evidence[];
    /**
     * SHA-256 of the payload in the client data, 32 bytes; empty: none is bound. If the platform cannot attest the key to be certified
     * (App Attest), the payload must be the CSR.
     */
    payloadSha256?: Uint8Array;
    /** A PKCS#10 certificate signing request (DER), at most 16 KiB. Only its key is used. */
    csr?: Uint8Array;
    /** A SubjectPublicKeyInfo (DER), at most 1 KiB: only for a key that the evidence attests. */
    publicKey?: Uint8Array;
    /** As in VerifyRequest. */
    subject?: Uint8Array;
    expectedDeviceId?: Uint8Array;
    /** As in VerifyRequest. */
    sourceAddress?: string;
}

export interface ProvisionDeviceRequest {
    app: string;
    /** The serial number that the manufacturer gave, 1 to 255 characters: visible ones, and no white space at either end. */
    deviceSerial: string;
    /** At most 64 characters; may be empty. */
    deviceFamily?: string;
    /** 32 bytes; empty: Assay makes one. */
    deviceSecret?: Uint8Array;
    /**
     * A PKCS#10 certificate signing request (DER) of a P-256 key, at most 16 KiB. Empty only where the configuration allows it: Assay then
     * makes the key.
     */
    csr?: Uint8Array;
    /** A one-time enrolment token. Empty: the serial number must be on the allow-list, or readmitted. */
    enrolmentToken?: string;
}

export interface GetDeviceRequest {
    /** The app that the device belongs to. */
    app: string;
    /** 16 bytes. */
    deviceId?: Uint8Array;
    /** The platform's key id, raw bytes. */
    keyId?: Uint8Array;
    /** The serial number under which the device was provisioned. A device that replaced another has it alone. */
    deviceSerial?: string;
}

export interface ListDevicesRequest {
    app: string;
    /** Only devices registered for this subject, at most 256 bytes. Empty: all. */
    subject?: Uint8Array;
    /** Only devices in this state. Not set: all. */
    state?: DeviceState;
    /** At most 500. 0: 100. */
    pageSize?: number;
    /** As the page before said; with the same app, subject, state, flag and serial number. Empty: the first page. */
    pageToken?: Uint8Array;
    /** Only the device that was provisioned under this serial number. Empty: all. */
    deviceSerial?: string;
    /** Only devices on which this flag stands: [a-z0-9_]{1,32}. Empty: all. */
    flag?: string;
}

/** Exactly one target. A target or any other field that the daemon does not know is INVALID_ARGUMENT. */
export interface BlockTarget {
    /** 16 bytes; the device must be on record. */
    deviceId?: Uint8Array;
    /** The caller's account or user, 1 to 256 bytes. */
    subject?: Uint8Array;
    /** The platform's key id, 1 to 64 raw bytes. */
    keyId?: Uint8Array;
}

export interface BlockRequest {
    app: string;
    target: BlockTarget;
    /**
     * For operators, 1 to 256 bytes; no device and no verdict shows it. It stands in the audit log, from which nothing can be deleted:
     * name no person.
     */
    reason: string;
}

export interface UnblockRequest {
    app: string;
    target: BlockTarget;
}

export interface FindVerdictsRequest {
    app: string;
    /** SHA-256 of the payload as it was bound, of a file of a capture, or of a camera's image: 32 bytes. */
    payloadSha256: Uint8Array;
    /** The address of the caller's own client, by which look-ups are counted; empty: not counted by address. */
    sourceAddress?: string;
    /** The answer, signed for others: at most 4, of the shapes PLAIN_JWS and PLAIN_COSE. */
    results?: ResultRequest[];
}

export interface GetResultKeysRequest {
    /** The issuer of results about simulated devices, in place of that of real ones. */
    simulated?: boolean;
}

export interface WhoAmIRequest {
}
