package assay

import "encoding/json"

// IssueChallengeResponse is what Client.IssueChallenge answers.
type IssueChallengeResponse struct {
	// 54 bytes, opaque to clients.
	Challenge       []byte `json:"challenge"`
	ExpiresAtUnixMs int64  `json:"expiresAtUnixMs"`
	// The JSON as it came.
	Raw json.RawMessage `json:"-"`
}

// Finding is a check of a verdict, or what was noticed on the way.
type Finding struct {
	// The name of the check, for example "nonce". Prefixed by the evidence's format where several were given.
	Check   string         `json:"check"`
	Outcome FindingOutcome `json:"outcome"`
	// A reason code for FAIL, a word for NOTE, otherwise empty.
	Code   string `json:"code"`
	Detail string `json:"detail"`
	// The code of another system for `code`, as the plugin declared it. Empty: none.
	VendorCode string `json:"vendorCode"`
}

// TextList is the value of a claim.
type TextList struct {
	Values []string `json:"values"`
}

// Claim is what authenticated evidence says. One member beside the name is set.
type Claim struct {
	Name       string    `json:"name"`
	Text       *string   `json:"text"`
	Integer    *int64    `json:"integer"`
	Boolean    *bool     `json:"boolean"`
	Bytes      []byte    `json:"bytes"`
	Texts      *TextList `json:"texts"`
	TimeUnixMs *int64    `json:"timeUnixMs"`
}

// BoundTo is what the device's signature covers.
type BoundTo struct {
	Mode BoundToMode `json:"mode"`
	// SHA-256 of the payload; empty where none is bound or only the caller knows.
	PayloadSHA256 []byte `json:"payloadSha256"`
	// What the platform signed over.
	ClientDataHash []byte `json:"clientDataHash"`
}

// FeedSnapshot is the version of a trust feed that a verdict used.
type FeedSnapshot struct {
	Feed  string `json:"feed"`
	ID    string `json:"id"`
	AgeMs uint32 `json:"ageMs"`
}

// ConfidenceScore is a number from 0 to 1.
type ConfidenceScore struct {
	Millionths uint32 `json:"millionths"`
}

// ConfidenceHardware is what hardware says of a capture.
type ConfidenceHardware struct {
	Status ConfidenceHardwareStatus `json:"status"`
	// strongbox, secure_enclave, secure_element, tee, software or none.
	Level string `json:"level"`
}

// ConfidencePart is a check of the profile mvp, or a row of another profile's table.
type ConfidencePart struct {
	Name string `json:"name"`
	// Of a check. Of a row only UNAVAILABLE, where it does not count.
	Outcome ConfidencePartOutcome `json:"outcome"`
	Score   *ConfidenceScore      `json:"score"`
	// As in the table, before missing weights are distributed.
	Weight       *ConfidenceScore `json:"weight"`
	Contribution *ConfidenceScore `json:"contribution"`
	// Who measured the signal. Unspecified where there is none, and for what a document of version 1 states.
	Source ConfidencePartSource `json:"source"`
}

// Confidence is the confidence in a capture, of attestation and signals. docs/concepts/confidence.md has the tables and formulas.
type Confidence struct {
	Level ConfidenceLevel `json:"level"`
	// After cross-validation. Left out by the profile mvp, and where no signal counts.
	Score *ConfidenceScore `json:"score"`
	// mvp, weighted or suite.
	Profile string `json:"profile"`
	// ios or android, as the attestation says; empty if it does not say.
	Platform string              `json:"platform"`
	Hardware *ConfidenceHardware `json:"hardware"`
	Signals  ConfidenceSignals   `json:"signals"`
	// SHA-256 of each file of the capture, as the signed document has them. Compare them with the files that
	// arrived. Empty unless the signals count.
	MediaSHA256 [][]byte         `json:"mediaSha256"`
	Breakdown   []ConfidencePart `json:"breakdown"`
	// Before cross-validation.
	WeightedScore *ConfidenceScore `json:"weightedScore"`
	// The highest level that hardware and cross-validation allow; unspecified in the profile mvp.
	Ceiling         ConfidenceLevel           `json:"ceiling"`
	CrossValidation ConfidenceCrossValidation `json:"crossValidation"`
	// All of this as the evidence model, to be kept or shown beside the capture.
	EvidenceModelJSON string `json:"evidenceModelJson"`
	// The level among HIGH, MEDIUM, LOW and SUSPICIOUS, for callers that know no others.
	LevelOfFour ConfidenceLevel `json:"levelOfFour"`
	// In the profile suite: the mean absolute deviation of the scores that count.
	DisagreementScore *ConfidenceScore `json:"disagreementScore"`
	// In the profile suite: iphone_lidar, iphone or android; empty where the platform is not known.
	DeviceKind string `json:"deviceKind"`
}

// ResultProblem is why an accepted verdict has no signed result.
type ResultProblem struct {
	// A stable word of docs/reference/results.md.
	Code string `json:"code"`
	// For people.
	Sentence string `json:"sentence"`
}

// SignedResult is what came of a result that was asked for. The verdict beside it holds in either case.
type SignedResult struct {
	Shape    ResultShape `json:"shape"`
	Audience string      `json:"audience"`
	// A token in ASCII.
	Text *string `json:"text"`
	// A token in CBOR.
	Binary []byte `json:"binary"`
	// Nothing was signed.
	Problem *ResultProblem `json:"problem"`
	// The token's `jti` or `cti`, for logs.
	ID []byte `json:"id"`
	// When the token ends; 0: there is none.
	ExpiresAtUnixMs int64 `json:"expiresAtUnixMs"`
}

// WouldReject is why evidence would be rejected if the app enforced the verdict.
type WouldReject struct {
	// As a rejection would have them: a stable code of docs/reference/reason-codes.md, a sentence, the check that said so,
	// and what may be done.
	Reason string     `json:"reason"`
	Detail string     `json:"detail"`
	Check  string     `json:"check"`
	Retry  RetryClass `json:"retry"`
}

// Verdict is the answer to evidence. A rejection is an answer, not an error.
type Verdict struct {
	Decision Decision `json:"decision"`
	// How strong the evidence is; NONE when rejected, and with would_reject.
	Assurance Assurance `json:"assurance"`
	// When rejected: a stable code of docs/reference/reason-codes.md, a sentence, the check that said so, and what may be
	// done.
	Reason string     `json:"reason"`
	Detail string     `json:"detail"`
	Check  string     `json:"check"`
	Retry  RetryClass `json:"retry"`
	// Every check in order, and what was noticed on the way.
	Findings []Finding `json:"findings"`
	// What authenticated evidence says. Empty if the evidence is not authentic.
	Claims []Claim `json:"claims"`
	// The device record that was made or used: 16 bytes. Empty when rejected before it was known.
	DeviceID []byte   `json:"deviceId"`
	Bound    *BoundTo `json:"bound"`
	// SHA-256, see docs/concepts/challenges.md.
	EvidenceDigest []byte `json:"evidenceDigest"`
	// SHA-256 of the app's policy as it was in force.
	PolicyDigest []byte `json:"policyDigest"`
	// Versions of the trust feeds that were used. Empty where none is.
	Feeds []FeedSnapshot `json:"feeds"`
	// Trust rests on a test root: never a real device. ACCEPTED only by apps that say accept_simulated.
	Simulated bool `json:"simulated"`
	// The stored verdict of an equal request made before: do not act twice.
	Repeated bool `json:"repeated"`
	// 16 bytes that name this verdict in logs and audit; no other has them.
	RequestID       []byte `json:"requestId"`
	DecidedAtUnixMs int64  `json:"decidedAtUnixMs"`
	// The confidence in the capture, for apps with a section confidence. It never lifts a verdict: when rejected
	// its level is REJECTED, unless the level is the reason (confidence_too_low).
	Confidence *Confidence `json:"confidence"`
	// One for each that was asked for, in that order, if the verdict is ACCEPTED. With would_reject none is
	// signed: each says so.
	Results []SignedResult `json:"results"`
	// What an ACCEPTED verdict does not say, so that nothing is read into it; docs/reference/results.md has the list.
	Limits []VerdictLimit `json:"limits"`
	// Set if the evidence was judged REJECTED and is answered ACCEPTED because the app does not enforce the
	// verdict (docs/operate/monitor-mode.md). Nothing was registered and no counter advanced. The other fields are those
	// of the rejection, but for decision, reason, detail, check and retry.
	WouldReject *WouldReject `json:"wouldReject"`
	// The JSON as it came.
	Raw json.RawMessage `json:"-"`
}

// DeviceCertificateRevocation is why and when a certificate was revoked.
type DeviceCertificateRevocation struct {
	Reason          RevocationReason `json:"reason"`
	RevokedAtUnixMs int64            `json:"revokedAtUnixMs"`
}

// CertificateName is what identifies a certificate.
type CertificateName struct {
	// SHA-256 of the issuing CA's SubjectPublicKeyInfo.
	IssuerSPKISHA256 []byte `json:"issuerSpkiSha256"`
	// The serial number as an unsigned big-endian integer.
	Serial []byte `json:"serial"`
}

// DeviceCertificate is a certificate on record.
type DeviceCertificate struct {
	// DER. Empty after the device was forgotten.
	Certificate []byte `json:"certificate"`
	// The serial number as an unsigned big-endian integer.
	Serial []byte `json:"serial"`
	// SHA-256 of the issuing CA's SubjectPublicKeyInfo.
	IssuerSPKISHA256 []byte `json:"issuerSpkiSha256"`
	App              string `json:"app"`
	DeviceID         []byte `json:"deviceId"`
	// SHA-256 of the certified key's SubjectPublicKeyInfo.
	KeyID           []byte                         `json:"keyId"`
	NotBeforeUnixMs int64                          `json:"notBeforeUnixMs"`
	NotAfterUnixMs  int64                          `json:"notAfterUnixMs"`
	IssuedAtUnixMs  int64                          `json:"issuedAtUnixMs"`
	Assurance       Assurance                      `json:"assurance"`
	KeyProtection   DeviceCertificateKeyProtection `json:"keyProtection"`
	// The format of the evidence that registered the device.
	Platform     string `json:"platform"`
	PolicyDigest []byte `json:"policyDigest"`
	// Trust rests on a test root.
	Simulated bool `json:"simulated"`
	// Left out unless it is revoked.
	Revocation *DeviceCertificateRevocation `json:"revocation"`
	// The certificate that it was renewed from. Left out if it was issued in another way, or before renewals
	// were recorded.
	RenewedFrom *CertificateName `json:"renewedFrom"`
}

// IssueCertificateResponse is what Client.IssueCertificate answers.
type IssueCertificateResponse struct {
	// ACCEPTED if, and only if, the certificate was issued.
	Verdict     Verdict            `json:"verdict"`
	Certificate *DeviceCertificate `json:"certificate"`
	// The CA's certificates (DER), the issuer first.
	Chain [][]byte `json:"chain"`
	// The JSON as it came.
	Raw json.RawMessage `json:"-"`
}

// ProvisionDeviceResponseKeyTable is one of the tables of keys that a device gets.
type ProvisionDeviceResponseKeyTable struct {
	// 1000 keys of 32 bytes.
	Keys [][]byte `json:"keys"`
}

// ProvisioningRejection is why a device was not provisioned.
type ProvisioningRejection struct {
	// A stable code of docs/reference/reason-codes.md, a sentence, and what may be done.
	Reason string     `json:"reason"`
	Detail string     `json:"detail"`
	Retry  RetryClass `json:"retry"`
}

// ProvisionDeviceResponse is what Client.ProvisionDevice answers.
type ProvisionDeviceResponse struct {
	// DER.
	DeviceCertificate []byte `json:"deviceCertificate"`
	// The CA's certificates (DER), the issuer first.
	CertificateChain [][]byte `json:"certificateChain"`
	// Three, in the order of key_table_indices.
	KeyTables []ProvisionDeviceResponseKeyTable `json:"keyTables"`
	// Three different ones of 0 to 2499.
	KeyTableIndices []uint32 `json:"keyTableIndices"`
	// 32 bytes.
	DeviceSecret []byte `json:"deviceSecret"`
	// PKCS#8 (DER), only if Assay made the key, and only in the first answer.
	DevicePrivateKey []byte `json:"devicePrivateKey"`
	// The device record that was made: 16 bytes.
	DeviceID []byte `json:"deviceId"`
	// The answer to an equal request made before.
	Repeated bool `json:"repeated"`
	// Set, and all other fields empty, if the device was not provisioned.
	Rejection *ProvisioningRejection `json:"rejection"`
	// The JSON as it came.
	Raw json.RawMessage `json:"-"`
}

// DeviceBlock is a block that holds.
type DeviceBlock struct {
	Kind        DeviceBlockKind `json:"kind"`
	Reason      string          `json:"reason"`
	SinceUnixMs int64           `json:"sinceUnixMs"`
}

// DeviceNoLongerGood is why a device's next evidence would be refused.
type DeviceNoLongerGood struct {
	// The code that the rejection would have, its check, and a sentence for people.
	Code   string `json:"code"`
	Check  string `json:"check"`
	Detail string `json:"detail"`
}

// DeviceCertificates is how many certificates a device has, by their state.
type DeviceCertificates struct {
	// Neither revoked nor ended.
	Good    uint32 `json:"good"`
	Revoked uint32 `json:"revoked"`
	// Ended and not revoked.
	Expired uint32 `json:"expired"`
}

// DeviceFlag is a mark that blocks nothing: the app's policy decides what follows.
type DeviceFlag struct {
	// [a-z0-9_]{1,32}.
	Name string `json:"name"`
	// The id of the plugin that set it. Empty: a caller did.
	Plugin string `json:"plugin"`
	// For operators, at most 256 bytes; may be empty.
	Detail      string `json:"detail"`
	SinceUnixMs int64  `json:"sinceUnixMs"`
	UntilUnixMs int64  `json:"untilUnixMs"`
	// The name of the caller that set it. Empty: a plugin did.
	Caller string `json:"caller"`
}

// Device is one attested key of one app.
type Device struct {
	DeviceID []byte `json:"deviceId"`
	App      string `json:"app"`
	// The format of the evidence that registered it.
	Format string `json:"format"`
	KeyID  []byte `json:"keyId"`
	// Uncompressed X9.63 point.
	PublicKey   []byte      `json:"publicKey"`
	Environment string      `json:"environment"`
	State       DeviceState `json:"state"`
	// Of the first block that holds.
	BlockReason     string `json:"blockReason"`
	BlockedAtUnixMs int64  `json:"blockedAtUnixMs"`
	// The highest accepted counter.
	Counter              uint32 `json:"counter"`
	RegisteredAtUnixMs   int64  `json:"registeredAtUnixMs"`
	LastAcceptedAtUnixMs int64  `json:"lastAcceptedAtUnixMs"`
	// SHA-256 of the anchor's SubjectPublicKeyInfo. Empty where the device was imported.
	AnchorSPKISHA256 []byte   `json:"anchorSpkiSha256"`
	Claims           []Claim  `json:"claims"`
	ChainSerials     [][]byte `json:"chainSerials"`
	// Length of the stored platform receipt, 0 where there is none.
	ReceiptLength uint32 `json:"receiptLength"`
	// Registered through a test root.
	Simulated bool `json:"simulated"`
	// True if the record is tied to a subject.
	HasSubject bool `json:"hasSubject"`
	// True if an operator vouched for the key: no chain was seen here.
	Imported bool `json:"imported"`
	// Every block that holds: the device's own, its subject's, its key's.
	Blocks []DeviceBlock `json:"blocks"`
	// Set if the device's next evidence would be refused, as far as that follows from its record and today's
	// policy, anchors and revocation list. Not set for a blocked device, and for one whose evidence a plugin
	// judges.
	NoLongerGood *DeviceNoLongerGood `json:"noLongerGood"`
	// The certificates that were issued for it, by their state. Not set: none was.
	Certificates *DeviceCertificates `json:"certificates"`
	// The flags that stand on it, at most 8.
	Flags []DeviceFlag `json:"flags"`
	// The JSON as it came.
	Raw json.RawMessage `json:"-"`
}

// ListDevicesResponse is what Client.ListDevices answers.
type ListDevicesResponse struct {
	// Without claims, chain serials and public key, which Get has. May be few or none although more pages
	// follow.
	Devices []Device `json:"devices"`
	// Opaque, at most 64 bytes. Empty: this was the last page.
	NextPageToken []byte `json:"nextPageToken"`
	// The JSON as it came.
	Raw json.RawMessage `json:"-"`
}

// BlockResponse is what Client.Block answers.
type BlockResponse struct {
	// Registered devices that the target names.
	Devices uint32 `json:"devices"`
	// It was blocked before.
	WasBlocked bool `json:"wasBlocked"`
	// Certificates that the block revoked: those of the devices, and of a key its own and those that were
	// renewed from it.
	RevokedCertificates uint32 `json:"revokedCertificates"`
	// The JSON as it came.
	Raw json.RawMessage `json:"-"`
}

// UnblockResponse is what Client.Unblock answers.
type UnblockResponse struct {
	// Registered devices that the target names.
	Devices uint32 `json:"devices"`
	// False: there was nothing to lift.
	WasBlocked bool `json:"wasBlocked"`
	// Those of the devices that other blocks keep blocked.
	StillBlocked uint32 `json:"stillBlocked"`
	// The JSON as it came.
	Raw json.RawMessage `json:"-"`
}

// FoundVerdict is what is kept of an accepted verdict for look-ups. It names neither the device nor the subject.
type FoundVerdict struct {
	// 16 bytes that name the verdict in logs and audit.
	RequestID []byte `json:"requestId"`
	// ACCEPTED: others are not kept.
	Decision        Decision  `json:"decision"`
	Assurance       Assurance `json:"assurance"`
	DecidedAtUnixMs int64     `json:"decidedAtUnixMs"`
	Purpose         Purpose   `json:"purpose"`
	// The formats of the evidence, in order.
	Formats []string `json:"formats"`
	// ios or android, as the attestation says; empty if it does not say.
	Platform string            `json:"platform"`
	Match    FoundVerdictMatch `json:"match"`
	// Trust rests on a test root: never a real device.
	Simulated   bool                    `json:"simulated"`
	DeviceState FoundVerdictDeviceState `json:"deviceState"`
	// For apps with a section confidence.
	ConfidenceLevel ConfidenceLevel  `json:"confidenceLevel"`
	ConfidenceScore *ConfidenceScore `json:"confidenceScore"`
	// The evidence model as the verdict had it, byte for byte.
	EvidenceModelJSON string `json:"evidenceModelJson"`
	// What the verdict means, and what it does not, for people; and the stable word for it (docs/concepts/look-up.md).
	Note     string `json:"note"`
	NoteCode string `json:"noteCode"`
	// What the verdict does not say.
	Limits []VerdictLimit `json:"limits"`
}

// FindVerdictsResponse is what Client.FindVerdicts answers.
type FindVerdictsResponse struct {
	// As asked, so that a signed answer says what it is about.
	App           string `json:"app"`
	PayloadSHA256 []byte `json:"payloadSha256"`
	// Whether an accepted verdict on exactly these bytes is kept.
	Found            bool  `json:"found"`
	AnsweredAtUnixMs int64 `json:"answeredAtUnixMs"`
	// The newest first, at most 10.
	Verdicts []FoundVerdict `json:"verdicts"`
	// Older ones are kept too, and are not in the answer.
	Truncated bool `json:"truncated"`
	// If nothing was found: what that means, and what it does not, for people; and the stable word for it.
	Note     string `json:"note"`
	NoteCode string `json:"noteCode"`
	// One for each that was asked for, in that order. What is signed is this message without them.
	Results []SignedResult `json:"results"`
	// The JSON as it came.
	Raw json.RawMessage `json:"-"`
}

// ResultProfile is a shape of results that the issuer signs.
type ResultProfile struct {
	Shape ResultShape `json:"shape"`
	// `typ` of the token's header.
	Type string `json:"type"`
	// The text that the shape follows, and its version.
	Specification string `json:"specification"`
}

// GetResultKeysResponse is what Client.GetResultKeys answers.
type GetResultKeysResponse struct {
	// `iss` of the results, and the base of the issuer's addresses.
	Issuer string `json:"issuer"`
	// The JWK Set (RFC 7517) as JSON text: the keys that sign now, that sign next, and that signed what has not
	// ended yet.
	JWKS string `json:"jwks"`
	// The shapes that this version signs.
	Profiles []ResultProfile `json:"profiles"`
	// The JSON as it came.
	Raw json.RawMessage `json:"-"`
}

// WhoAmIResponseRate is a rate that the caller's requests are counted by.
type WhoAmIResponseRate struct {
	// caller, caller_in_app or app.
	Limit string `json:"limit"`
	// Empty for the limit over all apps.
	App string `json:"app"`
	// What is counted: challenges, verdicts or lookups.
	Use string `json:"use"`
	// As the configuration has it, such as 100/h burst 20.
	Rate  string `json:"rate"`
	Burst uint32 `json:"burst"`
	// Requests that are allowed now.
	Left uint32 `json:"left"`
	// When the next one is, in milliseconds; 0: now.
	RetryAfterMs uint32 `json:"retryAfterMs"`
}

// WhoAmIResponse is what Client.WhoAmI answers.
type WhoAmIResponse struct {
	// The name in the configuration and in the audit log.
	Name string `json:"name"`
	// What the caller was recognised by: unix_user, uri, dns, key, loopback_demo or unauthenticated_network.
	// Further words may be added.
	RecognisedBy string `json:"recognisedBy"`
	// The user's id, the name in the certificate, or the key's name; empty where there is none.
	Mark  string   `json:"mark"`
	Roles []string `json:"roles"`
	// Whether the caller may name every app, also those that are configured later.
	AllApps bool `json:"allApps"`
	// The apps of the configuration that the caller may name.
	Apps []string `json:"apps"`
	// The rates that the caller's requests are counted by, without those of addresses and devices.
	Rates []WhoAmIResponseRate `json:"rates"`
	// The JSON as it came.
	Raw json.RawMessage `json:"-"`
}
