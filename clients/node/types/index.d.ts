/// <reference types="node" />
import type {
    BlockResponse, Device, FindVerdictsResponse, GetResultKeysResponse, IssueCertificateResponse, IssueChallengeResponse, JSONObject,
    ListDevicesResponse, ProvisionDeviceResponse, UnblockResponse, Verdict, WhoAmIResponse,
} from './answers.js';
import type { KeySignatureAlgorithm } from './enumerations.js';
import type {
    BlockRequest, Evidence as EvidenceMessage, FindVerdictsRequest, GetDeviceRequest, GetResultKeysRequest, IssueCertificateRequest,
    IssueChallengeRequest, ListDevicesRequest, ProvisionDeviceRequest, UnblockRequest, VerifyRequest,
} from './requests.js';

export * from './answers.js';
export * from './enumerations.js';
export type {
    AndroidKeyAttestation, AppAttestAssertion, AppAttestAttestation, Binding, BlockRequest, BlockTarget, BundleDigest, BundleFields,
    CallerOwnedBinding, CertificateBundle, DeviceCheckToken, EmbeddedBinding, FindVerdictsRequest, GetDeviceRequest,
    GetResultKeysRequest, InEvidenceBinding, IssueCertificateRequest, IssueChallengeRequest, KeySignature, ListDevicesRequest,
    OfflineSignature, PayloadBinding, PlayIntegrityToken, PluginEvidence, ProvisionDeviceRequest, ResultRequest, SafetyNetResponse,
    UnblockRequest, VerifyRequest,
} from './requests.js';
export type { EvidenceMessage };

/** What a client is made with. Times are in milliseconds. */
export interface ClientOptions {
    /** `https://host[:port][/path]`, `http://host[:port][/path]`, or `http+unix:/path/of/socket`. */
    url: string;
    /** Of a caller that has one. It is sent over TLS and to Unix sockets only. */
    apiKey?: string;
    /** A PEM file: only certificates from these CAs are trusted. Without it the system's are. */
    caFile?: string;
    /** PEM files of a client certificate and its key. They are read again for each connection. */
    certificateFile?: string;
    keyFile?: string;
    /** For a call with all its tries and pauses. Default: 30000. */
    timeoutMs?: number;
    /** For each connection, with its TLS handshake. Default: 5000. */
    connectTimeoutMs?: number;
    /** How often a call is tried in total. Default: 5; 1: there is no retry. */
    tries?: number;
    /** Whether a call that takes an idempotency key and is given none gets a random one, so that it can be retried. Default: true. */
    idempotencyKeys?: boolean;
    /** The longest body of an answer. Default: 8388608. */
    maxAnswerBytes?: number;
    /** What links of errors begin with, such as the address of a mirror of the documentation. */
    documentation?: string;
}

/** What one call is made with. */
export interface CallOptions {
    /** In place of the client's. */
    timeoutMs?: number;
    /** Gives the call up: it fails with the code `canceled`. Whether it was done is then unknown. */
    signal?: AbortSignal;
}

/** Of a method that takes an idempotency key. */
export interface KeyedCallOptions extends CallOptions {
    /** 1 to 64 characters of `!` to `~`: the same request under the same key gets the same answer. */
    idempotencyKey?: string;
}

/** Of {@link AssayClient.call}. */
export interface GenericCallOptions extends KeyedCallOptions {
    /** Whether the call may be sent again although it was possibly done. */
    idempotent?: boolean;
}

/** A message in JSON. Bytes are written in Base64, a bigint as text. */
export type Message = { [member: string]: unknown };

/**
 * A client of a daemon. One serves a whole program, with any number of calls at a time; it keeps connections open until `close`.
 *
 * A verdict that is REJECTED is an answer. Each method fails with an {@link AssayError} if there is none. Calls are retried where that is
 * safe and may help.
 */
export class AssayClient {
    /** Throws an {@link AssayError}, `bad_option`, whose message names the option. */
    constructor(options: ClientOptions);

    /** A challenge, for a device to answer. */
    issueChallenge(request: IssueChallengeRequest, options?: CallOptions): Promise<IssueChallengeResponse>;

    /**
     * Judges evidence. Under an idempotency key that the client made, `repeated` is false: the caller has not had the verdict before. It
     * stays true for evidence that is a statement of its own and was accepted before.
     */
    verify(request: VerifyRequest, options?: KeyedCallOptions): Promise<Verdict>;

    /** Issues a certificate to a device on evidence. */
    issueCertificate(request: IssueCertificateRequest, options?: KeyedCallOptions): Promise<IssueCertificateResponse>;

    /** Provisions a device of a fleet. Its answer holds secrets. */
    provisionDevice(request: ProvisionDeviceRequest, options?: KeyedCallOptions): Promise<ProvisionDeviceResponse>;

    /** A device with what is known of it. */
    getDevice(request: GetDeviceRequest, options?: CallOptions): Promise<Device>;

    /** A page of an app's devices. */
    listDevices(request: ListDevicesRequest, options?: CallOptions): Promise<ListDevicesResponse>;

    /** Refuses a device, a subject or a key from now on. */
    block(request: BlockRequest, options?: CallOptions): Promise<BlockResponse>;

    /** Lifts a block. It is never repeated, since another block may have been set meanwhile. */
    unblock(request: UnblockRequest, options?: CallOptions): Promise<UnblockResponse>;

    /** The accepted verdicts on a file, by its SHA-256. */
    findVerdicts(request: FindVerdictsRequest, options?: CallOptions): Promise<FindVerdictsResponse>;

    /** The public keys by which signed results are checked. */
    getResultKeys(request?: GetResultKeysRequest, options?: CallOptions): Promise<GetResultKeysResponse>;

    /** What the daemon knows of this caller. */
    whoAmI(options?: CallOptions): Promise<WhoAmIResponse>;

    /**
     * Calls any method that answers once.
     *
     * @param service `Attestation`, or with its package `assay.v1.Attestation`
     * @param method such as `Verify`
     * @returns the answer's JSON
     */
    call(service: string, method: string, message: Message, options?: GenericCallOptions): Promise<JSONObject>;

    /** Ends the connections. Calls in flight fail, and so do further ones. */
    close(): void;
}

/** Connect's names of gRPC's codes. */
export type ErrorCode =
    | 'canceled' | 'unknown' | 'invalid_argument' | 'deadline_exceeded' | 'not_found' | 'already_exists' | 'permission_denied'
    | 'resource_exhausted' | 'failed_precondition' | 'aborted' | 'out_of_range' | 'unimplemented' | 'internal' | 'unavailable'
    | 'data_loss' | 'unauthenticated';

/** What may help: trying again `later`, or what the word says. Later versions of the daemon may have more words. */
export type ErrorRetry = 'never' | 'later' | 'contact_operator' | 'new_challenge' | 're_attest' | (string & {});

/** Why a call has no answer. A rejection is a verdict and no error. */
export class AssayError extends Error {
    private constructor();
    readonly name: 'AssayError';
    readonly code: ErrorCode;
    /** The stable word; empty if the answer has none. */
    readonly reason: string;
    readonly retry: ErrorRetry;
    /** When trying again may help, in milliseconds from when the error was made. */
    readonly retryAfterMs: number | undefined;
    /** Where the error is documented. */
    readonly link: string;
    /** Of the last answer; 0 without one. */
    readonly httpStatus: number;
    /** How often the call was sent, or was to be sent. */
    readonly attempts: number;
    /** Whether the call certainly reached no method. */
    readonly wasNotBegun: boolean;
    /** All of it in one line, for logs. */
    toString(): string;
}

/** What a device sent, for requests: one constructor for each kind. */
export const Evidence: Readonly<{
    /** @param keyId 32 bytes, decoded from the text that generateKey returns */
    appAttestAttestation(keyId: Uint8Array, attestation: Uint8Array): EvidenceMessage;
    appAttestAssertion(keyId: Uint8Array, assertion: Uint8Array): EvidenceMessage;
    /** @param certificates in DER, leaf first */
    androidKeyAttestation(certificates: Uint8Array[]): EvidenceMessage;
    playIntegrityToken(token: string): EvidenceMessage;
    /**
     * @param keyId SHA-256 of the key's SubjectPublicKeyInfo
     * @param algorithm ECDSA_P256_SHA256 by default
     */
    keySignature(keyId: Uint8Array, signature: Uint8Array, algorithm?: KeySignatureAlgorithm): EvidenceMessage;
    /** @param json as the camera sent it */
    certificateBundle(json: Uint8Array): EvidenceMessage;
    deviceCheckToken(token: Uint8Array): EvidenceMessage;
    offlineSignature(signature: {
        keyId: Uint8Array; signature: Uint8Array; capturedAtUnixMs: bigint; payloadSha256: Uint8Array; algorithm?: KeySignatureAlgorithm;
    }): EvidenceMessage;
    pluginEvidence(format: string, body: Uint8Array): EvidenceMessage;
    /**
     * Of JSON as docs/reference/http.md has it, such as `{"appAttestAssertion": {"keyId": "…", "assertion": "…"}}`. What is not known is refused.
     */
    fromJSON(json: string | { [member: string]: unknown }): EvidenceMessage;
}>;
