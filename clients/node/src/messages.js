/**
 * The messages of proto/assay/v1 that the client's methods take and return, in JSON (docs/reference/http.md). types/ has the same for TypeScript,
 * with what each member means.
 */
import { BOOLEAN, BYTES, INT64, TEXT, UINT32, enumeration, listOf, message, optional, present } from './fields.js';

const purpose = enumeration('PURPOSE_', ['REGISTER', 'ASSERT', 'PROVISION', 'RENEW']);
const keySignatureAlgorithm = enumeration('ALGORITHM_', [
    'ECDSA_P256_SHA256', 'ECDSA_P384_SHA384', 'RSA_PSS_SHA256', 'RSA_PKCS1_SHA256', 'ED25519', 'ML_DSA_65', 'ML_DSA_87',
    'ECDSA_P384_SHA256',
]);
const resultShape = enumeration('RESULT_SHAPE_', [
    'EAR_JWT', 'EAR_CWT', 'SESSION', 'CLIENT_ATTESTATION', 'WALLET_INSTANCE', 'KEY_ATTESTATION', 'PLAIN_JWS', 'PLAIN_COSE',
]);
const verifyRequestReport = enumeration('REPORT_', ['FIRST', 'ALL']);
const decision = enumeration('DECISION_', ['ACCEPTED', 'REJECTED']);
const assurance = enumeration('ASSURANCE_', ['NONE', 'SOFTWARE', 'PLATFORM', 'HARDWARE', 'SECURE_ELEMENT'], 'NONE');
const retryClass = enumeration('RETRY_CLASS_', ['NEVER', 'NEW_CHALLENGE', 'RE_ATTEST', 'LATER', 'CONTACT_OPERATOR']);
const findingOutcome = enumeration('OUTCOME_', ['PASS', 'FAIL', 'UNAVAILABLE', 'SKIPPED', 'NOTE']);
const boundToMode = enumeration('MODE_', ['CLIENT_DATA', 'EMBEDDED', 'CALLER_OWNED', 'IN_EVIDENCE']);
const confidenceLevel = enumeration('LEVEL_', ['REJECTED', 'SUSPICIOUS', 'LOW', 'MEDIUM', 'MEDIUM_HIGH', 'HIGH', 'VERY_HIGH']);
const confidenceHardwareStatus = enumeration('STATUS_', ['PASS', 'FAIL', 'UNAVAILABLE', 'NOT_JUDGED']);
const confidenceSignals = enumeration('SIGNALS_', ['COUNTED', 'NOT_SUBMITTED', 'NOT_BOUND', 'MALFORMED', 'NOT_JUDGED']);
const confidencePartOutcome = enumeration('OUTCOME_', ['PASS', 'FAIL', 'UNAVAILABLE']);
const confidencePartSource = enumeration('SOURCE_', ['DEVICE', 'SERVER']);
const confidenceCrossValidation = enumeration('CROSS_VALIDATION_', ['AGREE', 'PARTIAL', 'DISAGREE', 'CONTRADICT']);
const verdictLimit = enumeration('VERDICT_LIMIT_', [
    'NOT_BOUND_TO_PAYLOAD', 'RELAY_NOT_EXCLUDED', 'SIGNALS_ARE_THE_APPS_WORD', 'FRESHNESS_BY_THE_CALLER', 'ANSWERS_NO_CHALLENGE',
    'ATTESTED_AT_REGISTRATION', 'APP_NOT_IDENTIFIED', 'SYSTEM_NOT_VERIFIED', 'KEY_IN_SOFTWARE', 'VENDOR_WORD_ONLY',
    'CAPTURE_TIME_BY_THE_DEVICE',
]);
const deviceCertificateKeyProtection = enumeration('KEY_PROTECTION_', ['ATTESTED', 'VOUCHED', 'PROVISIONED', 'GENERATED']);
const revocationReason = enumeration('REVOCATION_REASON_', [
    'KEY_COMPROMISE', 'CA_COMPROMISE', 'AFFILIATION_CHANGED', 'SUPERSEDED', 'CESSATION_OF_OPERATION', 'PRIVILEGE_WITHDRAWN',
    'AA_COMPROMISE',
]);
const deviceState = enumeration('STATE_', ['ACTIVE', 'BLOCKED']);
const deviceBlockKind = enumeration('KIND_', ['DEVICE', 'SUBJECT', 'KEY']);
const foundVerdictMatch = enumeration('MATCH_', ['PAYLOAD', 'MEDIA', 'IMAGE']);
const foundVerdictDeviceState = enumeration('DEVICE_STATE_', ['REGISTERED', 'BLOCKED', 'REPLACED']);

export const issueChallengeRequest = message('IssueChallengeRequest', {
    app: TEXT, purpose, context: BYTES, ttlMs: UINT32, sourceAddress: TEXT,
});
export const issueChallengeResponse = message('IssueChallengeResponse', { challenge: BYTES, expiresAtUnixMs: INT64 });
const appAttestAttestation = message('AppAttestAttestation', { keyId: BYTES, attestation: BYTES });
const appAttestAssertion = message('AppAttestAssertion', { keyId: BYTES, assertion: BYTES });
const androidKeyAttestation = message('AndroidKeyAttestation', { certificates: listOf(BYTES) });
const playIntegrityToken = message('PlayIntegrityToken', { token: TEXT });
const keySignature = message('KeySignature', { keyId: BYTES, algorithm: keySignatureAlgorithm, signature: BYTES });
const bundleFields = message('BundleFields', {
    imageHash: BYTES, cameraCert: TEXT, timestamp: INT64, gpsHash: BYTES, bundleSignature: BYTES,
});
const bundleDigest = message('BundleDigest', { signedSha256: BYTES, cameraCert: TEXT, bundleSignature: BYTES });
const certificateBundle = message('CertificateBundle', { json: optional(BYTES), fields: bundleFields, digest: bundleDigest });
const safetyNetResponse = message('SafetyNetResponse', { jws: TEXT });
const pluginEvidence = message('PluginEvidence', { format: TEXT, body: BYTES });
const deviceCheckToken = message('DeviceCheckToken', { token: BYTES });
const offlineSignature = message('OfflineSignature', {
    keyId: BYTES, algorithm: keySignatureAlgorithm, signature: BYTES, capturedAtUnixMs: INT64, payloadSha256: BYTES,
});
export const evidence = message('Evidence', {
    appAttestAttestation, appAttestAssertion, androidKeyAttestation, playIntegrityToken, keySignature, certificateBundle,
    safetyNetResponse, pluginEvidence, deviceCheckToken, offlineSignature,
});
const payloadBinding = message('PayloadBinding', { payloadSha256: BYTES, uploadId: BYTES });
const embeddedBinding = message('EmbeddedBinding', { clientData: BYTES });
const callerOwnedBinding = message('CallerOwnedBinding', { clientDataHash: BYTES });
const inEvidenceBinding = message('InEvidenceBinding', {});
export const binding = message('Binding', {
    clientData: payloadBinding, embedded: embeddedBinding, callerOwned: callerOwnedBinding, inEvidence: inEvidenceBinding,
});
const resultRequest = message('ResultRequest', { shape: resultShape, audience: TEXT, nonce: BYTES });
export const verifyRequest = message('VerifyRequest', {
    app: TEXT, purpose, challenge: BYTES, context: BYTES, evidence: listOf(evidence), binding, subject: BYTES, expectedDeviceId: BYTES,
    sourceAddress: TEXT, signals: BYTES, replacesDeviceId: BYTES, results: listOf(resultRequest), report: verifyRequestReport,
});
const finding = message('Finding', { check: TEXT, outcome: findingOutcome, code: TEXT, detail: TEXT, vendorCode: TEXT });
const textList = message('TextList', { values: listOf(TEXT) });
const claim = message('Claim', {
    name: TEXT, text: optional(TEXT), integer: optional(INT64), boolean: optional(BOOLEAN), bytes: optional(BYTES), texts: textList,
    timeUnixMs: optional(INT64),
});
const boundTo = message('BoundTo', { mode: boundToMode, payloadSha256: BYTES, clientDataHash: BYTES });
const feedSnapshot = message('FeedSnapshot', { feed: TEXT, id: TEXT, ageMs: UINT32 });
const confidenceScore = message('Confidence.Score', { millionths: UINT32 });
const confidenceHardware = message('Confidence.Hardware', { status: confidenceHardwareStatus, level: TEXT });
const confidencePart = message('Confidence.Part', {
    name: TEXT, outcome: confidencePartOutcome, score: confidenceScore, weight: confidenceScore, contribution: confidenceScore,
    source: confidencePartSource,
});
const confidence = message('Confidence', {
    level: confidenceLevel, score: confidenceScore, profile: TEXT, platform: TEXT, hardware: confidenceHardware,
    signals: confidenceSignals, mediaSha256: listOf(BYTES), breakdown: listOf(confidencePart), weightedScore: confidenceScore,
    ceiling: confidenceLevel, crossValidation: confidenceCrossValidation, evidenceModelJson: TEXT, levelOfFour: confidenceLevel,
    disagreementScore: confidenceScore, deviceKind: TEXT,
});
const resultProblem = message('ResultProblem', { code: TEXT, sentence: TEXT });
const signedResult = message('SignedResult', {
    shape: resultShape, audience: TEXT, text: optional(TEXT), binary: optional(BYTES), problem: resultProblem, id: BYTES,
    expiresAtUnixMs: INT64,
});
const wouldReject = message('WouldReject', { reason: TEXT, detail: TEXT, check: TEXT, retry: retryClass });
export const verdict = message('Verdict', {
    decision, assurance, reason: TEXT, detail: TEXT, check: TEXT, retry: retryClass, findings: listOf(finding), claims: listOf(claim),
    deviceId: BYTES, bound: boundTo, evidenceDigest: BYTES, policyDigest: BYTES, feeds: listOf(feedSnapshot), simulated: BOOLEAN,
    repeated: BOOLEAN, requestId: BYTES, decidedAtUnixMs: INT64, confidence, results: listOf(signedResult),
    limits: listOf(verdictLimit), wouldReject,
});
export const issueCertificateRequest = message('IssueCertificateRequest', {
    app: TEXT, challenge: BYTES, context: BYTES, evidence: listOf(evidence), payloadSha256: BYTES, csr: optional(BYTES),
    publicKey: optional(BYTES), subject: BYTES, expectedDeviceId: BYTES, sourceAddress: TEXT,
});
const deviceCertificateRevocation = message('DeviceCertificate.Revocation', { reason: revocationReason, revokedAtUnixMs: INT64 });
const certificateName = message('CertificateName', { issuerSpkiSha256: BYTES, serial: BYTES });
const deviceCertificate = message('DeviceCertificate', {
    certificate: BYTES, serial: BYTES, issuerSpkiSha256: BYTES, app: TEXT, deviceId: BYTES, keyId: BYTES, notBeforeUnixMs: INT64,
    notAfterUnixMs: INT64, issuedAtUnixMs: INT64, assurance, keyProtection: deviceCertificateKeyProtection, platform: TEXT,
    policyDigest: BYTES, simulated: BOOLEAN, revocation: deviceCertificateRevocation, renewedFrom: certificateName,
});
export const issueCertificateResponse = message('IssueCertificateResponse', {
    verdict: present(verdict), certificate: deviceCertificate, chain: listOf(BYTES),
});
export const provisionDeviceRequest = message('ProvisionDeviceRequest', {
    app: TEXT, deviceSerial: TEXT, deviceFamily: TEXT, deviceSecret: BYTES, csr: BYTES, enrolmentToken: TEXT,
});
const provisionDeviceResponseKeyTable = message('ProvisionDeviceResponse.KeyTable', { keys: listOf(BYTES) });
const provisioningRejection = message('ProvisioningRejection', { reason: TEXT, detail: TEXT, retry: retryClass });
export const provisionDeviceResponse = message('ProvisionDeviceResponse', {
    deviceCertificate: BYTES, certificateChain: listOf(BYTES), keyTables: listOf(provisionDeviceResponseKeyTable),
    keyTableIndices: listOf(UINT32), deviceSecret: BYTES, devicePrivateKey: BYTES, deviceId: BYTES, repeated: BOOLEAN,
    rejection: provisioningRejection,
});
export const getDeviceRequest = message('GetDeviceRequest', {
    app: TEXT, deviceId: optional(BYTES), keyId: optional(BYTES), deviceSerial: optional(TEXT),
});
const deviceBlock = message('Device.Block', { kind: deviceBlockKind, reason: TEXT, sinceUnixMs: INT64 });
const deviceNoLongerGood = message('Device.NoLongerGood', { code: TEXT, check: TEXT, detail: TEXT });
const deviceCertificates = message('Device.Certificates', { good: UINT32, revoked: UINT32, expired: UINT32 });
const deviceFlag = message('Device.Flag', {
    name: TEXT, plugin: TEXT, detail: TEXT, sinceUnixMs: INT64, untilUnixMs: INT64, caller: TEXT,
});
export const device = message('Device', {
    deviceId: BYTES, app: TEXT, format: TEXT, keyId: BYTES, publicKey: BYTES, environment: TEXT, state: deviceState, blockReason: TEXT,
    blockedAtUnixMs: INT64, counter: UINT32, registeredAtUnixMs: INT64, lastAcceptedAtUnixMs: INT64, anchorSpkiSha256: BYTES,
    claims: listOf(claim), chainSerials: listOf(BYTES), receiptLength: UINT32, simulated: BOOLEAN, hasSubject: BOOLEAN,
    imported: BOOLEAN, blocks: listOf(deviceBlock), noLongerGood: deviceNoLongerGood, certificates: deviceCertificates,
    flags: listOf(deviceFlag),
});
export const listDevicesRequest = message('ListDevicesRequest', {
    app: TEXT, subject: BYTES, state: deviceState, pageSize: UINT32, pageToken: BYTES, deviceSerial: TEXT, flag: TEXT,
});
export const listDevicesResponse = message('ListDevicesResponse', { devices: listOf(device), nextPageToken: BYTES });
const blockTarget = message('BlockTarget', { deviceId: optional(BYTES), subject: optional(BYTES), keyId: optional(BYTES) });
export const blockRequest = message('BlockRequest', { app: TEXT, target: blockTarget, reason: TEXT });
export const blockResponse = message('BlockResponse', { devices: UINT32, wasBlocked: BOOLEAN, revokedCertificates: UINT32 });
export const unblockRequest = message('UnblockRequest', { app: TEXT, target: blockTarget });
export const unblockResponse = message('UnblockResponse', { devices: UINT32, wasBlocked: BOOLEAN, stillBlocked: UINT32 });
export const findVerdictsRequest = message('FindVerdictsRequest', {
    app: TEXT, payloadSha256: BYTES, sourceAddress: TEXT, results: listOf(resultRequest),
});
const foundVerdict = message('FoundVerdict', {
    requestId: BYTES, decision, assurance, decidedAtUnixMs: INT64, purpose, formats: listOf(TEXT), platform: TEXT,
    match: foundVerdictMatch, simulated: BOOLEAN, deviceState: foundVerdictDeviceState, confidenceLevel, confidenceScore,
    evidenceModelJson: TEXT, note: TEXT, noteCode: TEXT, limits: listOf(verdictLimit),
});
export const findVerdictsResponse = message('FindVerdictsResponse', {
    app: TEXT, payloadSha256: BYTES, found: BOOLEAN, answeredAtUnixMs: INT64, verdicts: listOf(foundVerdict), truncated: BOOLEAN,
    note: TEXT, noteCode: TEXT, results: listOf(signedResult),
});
export const getResultKeysRequest = message('GetResultKeysRequest', { simulated: BOOLEAN });
const resultProfile = message('ResultProfile', { shape: resultShape, type: TEXT, specification: TEXT });
export const getResultKeysResponse = message('GetResultKeysResponse', { issuer: TEXT, jwks: TEXT, profiles: listOf(resultProfile) });
export const whoAmIRequest = message('WhoAmIRequest', {});
const whoAmIResponseRate = message('WhoAmIResponse.Rate', {
    limit: TEXT, app: TEXT, use: TEXT, rate: TEXT, burst: UINT32, left: UINT32, retryAfterMs: UINT32,
});
export const whoAmIResponse = message('WhoAmIResponse', {
    name: TEXT, recognisedBy: TEXT, mark: TEXT, roles: listOf(TEXT), allApps: BOOLEAN, apps: listOf(TEXT),
    rates: listOf(whoAmIResponseRate),
});
