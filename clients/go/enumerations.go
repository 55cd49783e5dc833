package assay

// Enumerations have the names of proto/assay/v1 without their prefix. The unspecified value is the empty text, and a value that this
// version of the client does not list stays as it came.

// Purpose is what a challenge is for.
type Purpose string

const (
	PurposeRegister  Purpose = "REGISTER"
	PurposeAssert    Purpose = "ASSERT"
	PurposeProvision Purpose = "PROVISION"
	PurposeRenew     Purpose = "RENEW"
)

func (Purpose) prefix() string { return "PURPOSE_" }

// KeySignatureAlgorithm is how a key signs. ECDSA signatures are DER, and the salt of RSA-PSS is as long as the hash.
type KeySignatureAlgorithm string

const (
	KeySignatureAlgorithmECDSAP256SHA256 KeySignatureAlgorithm = "ECDSA_P256_SHA256"
	KeySignatureAlgorithmECDSAP384SHA384 KeySignatureAlgorithm = "ECDSA_P384_SHA384"
	KeySignatureAlgorithmRSAPSSSHA256    KeySignatureAlgorithm = "RSA_PSS_SHA256"
	KeySignatureAlgorithmRSAPKCS1SHA256  KeySignatureAlgorithm = "RSA_PKCS1_SHA256"
	KeySignatureAlgorithmEd25519         KeySignatureAlgorithm = "ED25519"
	KeySignatureAlgorithmMLDSA65         KeySignatureAlgorithm = "ML_DSA_65"
	KeySignatureAlgorithmMLDSA87         KeySignatureAlgorithm = "ML_DSA_87"
	KeySignatureAlgorithmECDSAP384SHA256 KeySignatureAlgorithm = "ECDSA_P384_SHA256"
)

func (KeySignatureAlgorithm) prefix() string { return "ALGORITHM_" }

// ResultShape is a signed form of a verdict (docs/reference/results.md).
type ResultShape string

const (
	ResultShapeEARJWT            ResultShape = "EAR_JWT"
	ResultShapeEARCWT            ResultShape = "EAR_CWT"
	ResultShapeSession           ResultShape = "SESSION"
	ResultShapeClientAttestation ResultShape = "CLIENT_ATTESTATION"
	ResultShapeWalletInstance    ResultShape = "WALLET_INSTANCE"
	ResultShapeKeyAttestation    ResultShape = "KEY_ATTESTATION"
	ResultShapePlainJWS          ResultShape = "PLAIN_JWS"
	ResultShapePlainCOSE         ResultShape = "PLAIN_COSE"
)

func (ResultShape) prefix() string { return "RESULT_SHAPE_" }

// VerifyRequestReport is how much a rejection tells: its first failure, or all.
type VerifyRequestReport string

const (
	VerifyRequestReportFirst VerifyRequestReport = "FIRST"
	VerifyRequestReportAll   VerifyRequestReport = "ALL"
)

func (VerifyRequestReport) prefix() string { return "REPORT_" }

// Decision is what came of evidence. Ask Verdict.Accepted.
type Decision string

const (
	DecisionAccepted Decision = "ACCEPTED"
	DecisionRejected Decision = "REJECTED"
)

func (Decision) prefix() string { return "DECISION_" }

// Assurance is how strong evidence is.
type Assurance string

const (
	AssuranceNone          Assurance = "NONE"
	AssuranceSoftware      Assurance = "SOFTWARE"
	AssurancePlatform      Assurance = "PLATFORM"
	AssuranceHardware      Assurance = "HARDWARE"
	AssuranceSecureElement Assurance = "SECURE_ELEMENT"
)

func (Assurance) prefix() string { return "ASSURANCE_" }

// absent is the value that an answer leaves out: the one enumeration without an unspecified value.
func (Assurance) absent() string { return string(AssuranceNone) }

// RetryClass is what may be done about a rejection (docs/reference/reason-codes.md).
type RetryClass string

const (
	RetryClassNever           RetryClass = "NEVER"
	RetryClassNewChallenge    RetryClass = "NEW_CHALLENGE"
	RetryClassReAttest        RetryClass = "RE_ATTEST"
	RetryClassLater           RetryClass = "LATER"
	RetryClassContactOperator RetryClass = "CONTACT_OPERATOR"
)

func (RetryClass) prefix() string { return "RETRY_CLASS_" }

// FindingOutcome is what came of a check.
type FindingOutcome string

const (
	FindingOutcomePass        FindingOutcome = "PASS"
	FindingOutcomeFail        FindingOutcome = "FAIL"
	FindingOutcomeUnavailable FindingOutcome = "UNAVAILABLE"
	FindingOutcomeSkipped     FindingOutcome = "SKIPPED"
	FindingOutcomeNote        FindingOutcome = "NOTE"
)

func (FindingOutcome) prefix() string { return "OUTCOME_" }

// BoundToMode is how evidence is tied to a request.
type BoundToMode string

const (
	BoundToModeClientData  BoundToMode = "CLIENT_DATA"
	BoundToModeEmbedded    BoundToMode = "EMBEDDED"
	BoundToModeCallerOwned BoundToMode = "CALLER_OWNED"
	BoundToModeInEvidence  BoundToMode = "IN_EVIDENCE"
)

func (BoundToMode) prefix() string { return "MODE_" }

// ConfidenceLevel is the confidence in a capture (docs/concepts/confidence.md).
type ConfidenceLevel string

const (
	ConfidenceLevelRejected   ConfidenceLevel = "REJECTED"
	ConfidenceLevelSuspicious ConfidenceLevel = "SUSPICIOUS"
	ConfidenceLevelLow        ConfidenceLevel = "LOW"
	ConfidenceLevelMedium     ConfidenceLevel = "MEDIUM"
	ConfidenceLevelMediumHigh ConfidenceLevel = "MEDIUM_HIGH"
	ConfidenceLevelHigh       ConfidenceLevel = "HIGH"
	ConfidenceLevelVeryHigh   ConfidenceLevel = "VERY_HIGH"
)

func (ConfidenceLevel) prefix() string { return "LEVEL_" }

// ConfidenceHardwareStatus is whether hardware vouches for a capture.
type ConfidenceHardwareStatus string

const (
	ConfidenceHardwareStatusPass        ConfidenceHardwareStatus = "PASS"
	ConfidenceHardwareStatusFail        ConfidenceHardwareStatus = "FAIL"
	ConfidenceHardwareStatusUnavailable ConfidenceHardwareStatus = "UNAVAILABLE"
	ConfidenceHardwareStatusNotJudged   ConfidenceHardwareStatus = "NOT_JUDGED"
)

func (ConfidenceHardwareStatus) prefix() string { return "STATUS_" }

// ConfidenceSignals is whether the submitted signals count.
type ConfidenceSignals string

const (
	ConfidenceSignalsCounted      ConfidenceSignals = "COUNTED"
	ConfidenceSignalsNotSubmitted ConfidenceSignals = "NOT_SUBMITTED"
	ConfidenceSignalsNotBound     ConfidenceSignals = "NOT_BOUND"
	ConfidenceSignalsMalformed    ConfidenceSignals = "MALFORMED"
	ConfidenceSignalsNotJudged    ConfidenceSignals = "NOT_JUDGED"
)

func (ConfidenceSignals) prefix() string { return "SIGNALS_" }

// ConfidencePartOutcome is what came of a part of the confidence.
type ConfidencePartOutcome string

const (
	ConfidencePartOutcomePass        ConfidencePartOutcome = "PASS"
	ConfidencePartOutcomeFail        ConfidencePartOutcome = "FAIL"
	ConfidencePartOutcomeUnavailable ConfidencePartOutcome = "UNAVAILABLE"
)

func (ConfidencePartOutcome) prefix() string { return "OUTCOME_" }

// ConfidencePartSource is who measured a signal.
type ConfidencePartSource string

const (
	ConfidencePartSourceDevice ConfidencePartSource = "DEVICE"
	ConfidencePartSourceServer ConfidencePartSource = "SERVER"
)

func (ConfidencePartSource) prefix() string { return "SOURCE_" }

// ConfidenceCrossValidation is whether signals agree.
type ConfidenceCrossValidation string

const (
	ConfidenceCrossValidationAgree      ConfidenceCrossValidation = "AGREE"
	ConfidenceCrossValidationPartial    ConfidenceCrossValidation = "PARTIAL"
	ConfidenceCrossValidationDisagree   ConfidenceCrossValidation = "DISAGREE"
	ConfidenceCrossValidationContradict ConfidenceCrossValidation = "CONTRADICT"
)

func (ConfidenceCrossValidation) prefix() string { return "CROSS_VALIDATION_" }

// VerdictLimit is what an accepted verdict does not say (docs/reference/results.md).
type VerdictLimit string

const (
	VerdictLimitNotBoundToPayload      VerdictLimit = "NOT_BOUND_TO_PAYLOAD"
	VerdictLimitRelayNotExcluded       VerdictLimit = "RELAY_NOT_EXCLUDED"
	VerdictLimitSignalsAreTheAppsWord  VerdictLimit = "SIGNALS_ARE_THE_APPS_WORD"
	VerdictLimitFreshnessByTheCaller   VerdictLimit = "FRESHNESS_BY_THE_CALLER"
	VerdictLimitAnswersNoChallenge     VerdictLimit = "ANSWERS_NO_CHALLENGE"
	VerdictLimitAttestedAtRegistration VerdictLimit = "ATTESTED_AT_REGISTRATION"
	VerdictLimitAppNotIdentified       VerdictLimit = "APP_NOT_IDENTIFIED"
	VerdictLimitSystemNotVerified      VerdictLimit = "SYSTEM_NOT_VERIFIED"
	VerdictLimitKeyInSoftware          VerdictLimit = "KEY_IN_SOFTWARE"
	VerdictLimitVendorWordOnly         VerdictLimit = "VENDOR_WORD_ONLY"
	VerdictLimitCaptureTimeByTheDevice VerdictLimit = "CAPTURE_TIME_BY_THE_DEVICE"
)

func (VerdictLimit) prefix() string { return "VERDICT_LIMIT_" }

// DeviceCertificateKeyProtection is what is known of the place of a certified key.
type DeviceCertificateKeyProtection string

const (
	DeviceCertificateKeyProtectionAttested    DeviceCertificateKeyProtection = "ATTESTED"
	DeviceCertificateKeyProtectionVouched     DeviceCertificateKeyProtection = "VOUCHED"
	DeviceCertificateKeyProtectionProvisioned DeviceCertificateKeyProtection = "PROVISIONED"
	DeviceCertificateKeyProtectionGenerated   DeviceCertificateKeyProtection = "GENERATED"
)

func (DeviceCertificateKeyProtection) prefix() string { return "KEY_PROTECTION_" }

// RevocationReason is why a certificate was revoked (RFC 5280 §5.3.1).
type RevocationReason string

const (
	RevocationReasonKeyCompromise        RevocationReason = "KEY_COMPROMISE"
	RevocationReasonCACompromise         RevocationReason = "CA_COMPROMISE"
	RevocationReasonAffiliationChanged   RevocationReason = "AFFILIATION_CHANGED"
	RevocationReasonSuperseded           RevocationReason = "SUPERSEDED"
	RevocationReasonCessationOfOperation RevocationReason = "CESSATION_OF_OPERATION"
	RevocationReasonPrivilegeWithdrawn   RevocationReason = "PRIVILEGE_WITHDRAWN"
	RevocationReasonAACompromise         RevocationReason = "AA_COMPROMISE"
)

func (RevocationReason) prefix() string { return "REVOCATION_REASON_" }

// DeviceState is whether a device is blocked.
type DeviceState string

const (
	DeviceStateActive  DeviceState = "ACTIVE"
	DeviceStateBlocked DeviceState = "BLOCKED"
)

func (DeviceState) prefix() string { return "STATE_" }

// DeviceBlockKind is what a block is about.
type DeviceBlockKind string

const (
	DeviceBlockKindDevice  DeviceBlockKind = "DEVICE"
	DeviceBlockKindSubject DeviceBlockKind = "SUBJECT"
	DeviceBlockKindKey     DeviceBlockKind = "KEY"
)

func (DeviceBlockKind) prefix() string { return "KIND_" }

// FoundVerdictMatch is where a hash stands in what a device signed.
type FoundVerdictMatch string

const (
	FoundVerdictMatchPayload FoundVerdictMatch = "PAYLOAD"
	FoundVerdictMatchMedia   FoundVerdictMatch = "MEDIA"
	FoundVerdictMatchImage   FoundVerdictMatch = "IMAGE"
)

func (FoundVerdictMatch) prefix() string { return "MATCH_" }

// FoundVerdictDeviceState is what became of the device of a verdict.
type FoundVerdictDeviceState string

const (
	FoundVerdictDeviceStateRegistered FoundVerdictDeviceState = "REGISTERED"
	FoundVerdictDeviceStateBlocked    FoundVerdictDeviceState = "BLOCKED"
	FoundVerdictDeviceStateReplaced   FoundVerdictDeviceState = "REPLACED"
)

func (FoundVerdictDeviceState) prefix() string { return "DEVICE_STATE_" }
