/**
 * Enumerations have the names of proto/assay/v1 without their prefix: `ACCEPTED` is DECISION_ACCEPTED. The unspecified value is the empty
 * text.
 */

/** A value that this version of the client does not list: it stays as it came. */
export type Unlisted = string & {};

/**
 * What a challenge is for. A challenge, the evidence and the method must agree on it.
 * - `REGISTER`: A new key is attested and the device registered.
 * - `ASSERT`: A registered device proves itself.
 * - `PROVISION`: A device certificate is issued.
 * - `RENEW`: A device certificate is renewed.
 */
export type Purpose = 'REGISTER' | 'ASSERT' | 'PROVISION' | 'RENEW' | Unlisted;

/**
 * - `ECDSA_P256_SHA256`: ECDSA signatures are DER, as Android's Signature makes them.
 * - `RSA_PSS_SHA256`: The salt is as long as the hash.
 */
export type KeySignatureAlgorithm =
    | 'ECDSA_P256_SHA256' | 'ECDSA_P384_SHA384' | 'RSA_PSS_SHA256' | 'RSA_PKCS1_SHA256' | 'ED25519' | 'ML_DSA_65' | 'ML_DSA_87' |
    'ECDSA_P384_SHA256' | Unlisted;

/**
 * A signed form of a verdict. docs/reference/results.md says which text each follows.
 * - `EAR_JWT`: An Entity Attestation Result as a JWT.
 * - `EAR_CWT`: The same as a CWT.
 * - `SESSION`: A JWT by which a device that has just proved itself is known for a while, bound to its key.
 * - `CLIENT_ATTESTATION`: OAuth's client attestation.
 * - `WALLET_INSTANCE`: The EU wallet's instance attestation.
 * - `KEY_ATTESTATION`: The EU wallet's key attestation.
 * - `PLAIN_JWS`: The verdict's own JSON as a JWS.
 * - `PLAIN_COSE`: The verdict's own protobuf message as a COSE_Sign1.
 */
export type ResultShape =
    | 'EAR_JWT' | 'EAR_CWT' | 'SESSION' | 'CLIENT_ATTESTATION' | 'WALLET_INSTANCE' | 'KEY_ATTESTATION' | 'PLAIN_JWS' | 'PLAIN_COSE' |
    Unlisted;

/**
 * - `UNSPECIFIED`: As FIRST.
 * - `FIRST`: The judgement ends at the first failure.
 * - `ALL`: Everything that can be judged beside a failure is judged, and each failure is a finding with the outcome FAIL. `reason`,
 * `check` and `retry` are those of FIRST. What could not be judged because of a failure is a finding with the outcome SKIPPED and the code
 * `not_checked`. Nothing is spent that FIRST does not spend.
 */
export type VerifyRequestReport = 'FIRST' | 'ALL' | Unlisted;

export type Decision = 'ACCEPTED' | 'REJECTED' | Unlisted;

export type Assurance = 'NONE' | 'SOFTWARE' | 'PLATFORM' | 'HARDWARE' | 'SECURE_ELEMENT' | Unlisted;

export type RetryClass = 'NEVER' | 'NEW_CHALLENGE' | 'RE_ATTEST' | 'LATER' | 'CONTACT_OPERATOR' | Unlisted;

export type FindingOutcome = 'PASS' | 'FAIL' | 'UNAVAILABLE' | 'SKIPPED' | 'NOTE' | Unlisted;

/** - `IN_EVIDENCE`: The evidence is a statement of its own. */
export type BoundToMode = 'CLIENT_DATA' | 'EMBEDDED' | 'CALLER_OWNED' | 'IN_EVIDENCE' | Unlisted;

/** - `VERY_HIGH`: Only in the profile suite: every method of the device's suite was available, and all agree. */
export type ConfidenceLevel = 'REJECTED' | 'SUSPICIOUS' | 'LOW' | 'MEDIUM' | 'MEDIUM_HIGH' | 'HIGH' | 'VERY_HIGH' | Unlisted;

/** - `NOT_JUDGED`: The verdict is REJECTED. */
export type ConfidenceHardwareStatus = 'PASS' | 'FAIL' | 'UNAVAILABLE' | 'NOT_JUDGED' | Unlisted;

/**
 * Whether the submitted signals count.
 * - `NOT_BOUND`: The attested signature does not cover them.
 * - `NOT_JUDGED`: The verdict is REJECTED.
 */
export type ConfidenceSignals = 'COUNTED' | 'NOT_SUBMITTED' | 'NOT_BOUND' | 'MALFORMED' | 'NOT_JUDGED' | Unlisted;

export type ConfidencePartOutcome = 'PASS' | 'FAIL' | 'UNAVAILABLE' | Unlisted;

/**
 * - `DEVICE`: The app, under the device's signature.
 * - `SERVER`: Assay, on what the device signed.
 */
export type ConfidencePartSource = 'DEVICE' | 'SERVER' | Unlisted;

/** Unspecified in the profile mvp, and where no signal counts. */
export type ConfidenceCrossValidation = 'AGREE' | 'PARTIAL' | 'DISAGREE' | 'CONTRADICT' | Unlisted;

/**
 * - `NOT_BOUND_TO_PAYLOAD`: No payload is known that the device's signature covers: the verdict speaks for no content.
 * - `RELAY_NOT_EXCLUDED`: A genuine device may have signed on behalf of another place: nothing shows that what was sent came from the
 * device itself.
 * - `SIGNALS_ARE_THE_APPS_WORD`: What the signals say of the capture is the app's own word, under the device's signature.
 * - `FRESHNESS_BY_THE_CALLER`: The caller vouches for the freshness: Assay saw no challenge of its own.
 * - `ANSWERS_NO_CHALLENGE`: The evidence is a statement of its own and answers no challenge.
 * - `ATTESTED_AT_REGISTRATION`: Hardware and system were attested when the device was registered, not now.
 * - `APP_NOT_IDENTIFIED`: The evidence names no app.
 * - `SYSTEM_NOT_VERIFIED`: The evidence does not show that the operating system was verified.
 * - `KEY_IN_SOFTWARE`: The key is stored by software and may have been copied, or no hardware is known to hold one.
 * - `VENDOR_WORD_ONLY`: The verdict rests on a vendor's word, without a key in hardware.
 * - `CAPTURE_TIME_BY_THE_DEVICE`: When the capture was made is the word of the device's clock, which its owner can set.
 */
export type VerdictLimit =
    | 'NOT_BOUND_TO_PAYLOAD' | 'RELAY_NOT_EXCLUDED' | 'SIGNALS_ARE_THE_APPS_WORD' | 'FRESHNESS_BY_THE_CALLER' | 'ANSWERS_NO_CHALLENGE' |
    'ATTESTED_AT_REGISTRATION' | 'APP_NOT_IDENTIFIED' | 'SYSTEM_NOT_VERIFIED' | 'KEY_IN_SOFTWARE' | 'VENDOR_WORD_ONLY' |
    'CAPTURE_TIME_BY_THE_DEVICE' | Unlisted;

/**
 * - `ATTESTED`: The platform attested the certified key itself.
 * - `VOUCHED`: An attested key vouches for the certified key.
 * - `PROVISIONED`: A provisioning service vouches for the device, which proved possession of the key.
 * - `GENERATED`: Assay made the key and sent it to the provisioning service.
 */
export type DeviceCertificateKeyProtection = 'ATTESTED' | 'VOUCHED' | 'PROVISIONED' | 'GENERATED' | Unlisted;

/** Why a certificate is revoked: CRLReason of RFC 5280 §5.3.1 with its numbers, without certificateHold and removeFromCRL. */
export type RevocationReason =
    | 'KEY_COMPROMISE' | 'CA_COMPROMISE' | 'AFFILIATION_CHANGED' | 'SUPERSEDED' | 'CESSATION_OF_OPERATION' | 'PRIVILEGE_WITHDRAWN' |
    'AA_COMPROMISE' | Unlisted;

export type DeviceState = 'ACTIVE' | 'BLOCKED' | Unlisted;

export type DeviceBlockKind = 'DEVICE' | 'SUBJECT' | 'KEY' | Unlisted;

/**
 * Where the hash stands in what the device signed.
 * - `PAYLOAD`: It is the bound payload's.
 * - `MEDIA`: The signed document of signals names it as a file of the capture.
 * - `IMAGE`: A camera's signed bundle names it as the image's.
 */
export type FoundVerdictMatch = 'PAYLOAD' | 'MEDIA' | 'IMAGE' | Unlisted;

/**
 * The device as it is now, not as it was at the verdict.
 * - `UNSPECIFIED`: The verdict names no device.
 * - `BLOCKED`: By itself, its subject or its key.
 * - `REPLACED`: Another device took its place since.
 */
export type FoundVerdictDeviceState = 'REGISTERED' | 'BLOCKED' | 'REPLACED' | Unlisted;
