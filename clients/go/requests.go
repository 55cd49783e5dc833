package assay

// IssueChallengeRequest is what Client.IssueChallenge asks.
type IssueChallengeRequest struct {
	// The app, [a-z0-9._-]{1,64}.
	App     string  `json:"app"`
	Purpose Purpose `json:"purpose"`
	// The caller's session or account, at most 64 bytes; must be repeated at Verify.
	Context []byte `json:"context"`
	// How long the challenge is good. 0: the app's default (5 minutes). At most 1 hour.
	TTLMs uint32 `json:"ttlMs"`
	// As in VerifyRequest.
	SourceAddress string `json:"sourceAddress"`
}

// AppAttestAttestation is the result of DCAppAttestService.attestKey.
type AppAttestAttestation struct {
	// The key id as raw bytes: 32, decoded from the standard Base64 text that generateKey returns.
	KeyID []byte `json:"keyId"`
	// The attestation object (CBOR), at most 32 KiB.
	Attestation []byte `json:"attestation"`
}

// AppAttestAssertion is the result of DCAppAttestService.generateAssertion.
type AppAttestAssertion struct {
	// The key id as raw bytes: 32. The assertion itself does not carry it.
	KeyID []byte `json:"keyId"`
	// The assertion (CBOR), at most 4 KiB.
	Assertion []byte `json:"assertion"`
}

// AndroidKeyAttestation is the result of KeyStore.getCertificateChain, for a key that was made with setAttestationChallenge.
type AndroidKeyAttestation struct {
	// Each as DER, leaf first: 3 to 8, at most 16 KiB each. The root may be left out.
	Certificates [][]byte `json:"certificates"`
}

// PlayIntegrityToken is the result of requestIntegrityToken (classic) or of a standard token provider's request.
type PlayIntegrityToken struct {
	// As it came, at most 64 KiB.
	Token string `json:"token"`
}

// KeySignature is a signature by a registered key over the client data: how an Android device, or any other registered key that
// can sign messages, proves itself after it was attested.
type KeySignature struct {
	// SHA-256 of the key's SubjectPublicKeyInfo: 32 bytes.
	KeyID     []byte                `json:"keyId"`
	Algorithm KeySignatureAlgorithm `json:"algorithm"`
	// At most 8 KiB.
	Signature []byte `json:"signature"`
}

// BundleFields is the members of a bundle, hashes decoded.
type BundleFields struct {
	// 32 bytes.
	ImageHash []byte `json:"imageHash"`
	// The certificate as it was submitted, since its text is signed: Base64 of the DER or of a PEM file.
	CameraCert string `json:"cameraCert"`
	// Seconds since 1970.
	Timestamp int64 `json:"timestamp"`
	// 32 bytes; empty: none.
	GPSHash []byte `json:"gpsHash"`
	// ECDSA P-256 with SHA-256: 64 bytes (r, s), or DER.
	BundleSignature []byte `json:"bundleSignature"`
}

// BundleDigest is a bundle of which only the digest is shown. The time in it cannot be judged; the verdict says so.
type BundleDigest struct {
	// SHA-256 of the signed bytes: 32 bytes.
	SignedSHA256 []byte `json:"signedSha256"`
	// As in BundleFields.
	CameraCert      string `json:"cameraCert"`
	BundleSignature []byte `json:"bundleSignature"`
}

// CertificateBundle is what a camera signed with the key of its device certificate. Alone in its request, for the purpose ASSERT,
// without a challenge. Exactly one form, given once. The same bundle again, in whatever form and encoding, is
// the same statement: it is accepted again, marked repeated.
type CertificateBundle struct {
	// The JSON that the camera sent, as it came, at most 64 KiB: image_hash, camera_cert, timestamp, gps_hash
	// (optional), bundle_signature.
	JSON   []byte        `json:"json"`
	Fields *BundleFields `json:"fields"`
	// For callers that keep to themselves what was signed.
	Digest *BundleDigest `json:"digest"`
}

// SafetyNetResponse is a SafetyNet attestation response. No device can make a fresh one: the answer is always a rejection.
type SafetyNetResponse struct {
	JWS string `json:"jws"`
}

// PluginEvidence is evidence of a format that has no message here. The daemon accepts it for an app whose configuration names a
// verifier of the format.
type PluginEvidence struct {
	// 1 to 64 characters of a-z, 0-9, '.', '_' and '-'; never a format that has a message here.
	Format string `json:"format"`
	// As the device sent it, at most 512 KiB; plugins can set a lower limit.
	Body []byte `json:"body"`
}

// DeviceCheckToken is the result of DCDevice.generateToken.
type DeviceCheckToken struct {
	// Raw bytes, at most 8 KiB.
	Token []byte `json:"token"`
}

// OfflineSignature is a capture that a device signed while it had no challenge: a statement by a registered key over the time of the
// capture and its payload (docs/concepts/offline.md has the signed bytes). For the purpose ASSERT, without challenge and
// binding; beside it stand parts of the payload alone, as PluginEvidence. The same statement again is accepted
// again, marked repeated.
type OfflineSignature struct {
	// SHA-256 of the key's SubjectPublicKeyInfo: 32 bytes.
	KeyID     []byte                `json:"keyId"`
	Algorithm KeySignatureAlgorithm `json:"algorithm"`
	// At most 8 KiB.
	Signature []byte `json:"signature"`
	// When the capture was made, by the device's clock, in milliseconds since 1970.
	CapturedAtUnixMs int64 `json:"capturedAtUnixMs"`
	// SHA-256 of the payload: 32 bytes, and not all zero.
	PayloadSHA256 []byte `json:"payloadSha256"`
}

// Evidence is what a device sent, as the platform made it. Nothing is decoded or renamed on the way. Exactly one kind, given
// once. A kind or any other field that the daemon does not know is INVALID_ARGUMENT, and so is a kind that
// stands twice.
type Evidence struct {
	AppAttestAttestation  *AppAttestAttestation  `json:"appAttestAttestation"`
	AppAttestAssertion    *AppAttestAssertion    `json:"appAttestAssertion"`
	AndroidKeyAttestation *AndroidKeyAttestation `json:"androidKeyAttestation"`
	PlayIntegrityToken    *PlayIntegrityToken    `json:"playIntegrityToken"`
	KeySignature          *KeySignature          `json:"keySignature"`
	CertificateBundle     *CertificateBundle     `json:"certificateBundle"`
	SafetyNetResponse     *SafetyNetResponse     `json:"safetyNetResponse"`
	PluginEvidence        *PluginEvidence        `json:"pluginEvidence"`
	DeviceCheckToken      *DeviceCheckToken      `json:"deviceCheckToken"`
	OfflineSignature      *OfflineSignature      `json:"offlineSignature"`
}

// PayloadBinding is Assay's own client data, over a payload or an upload.
type PayloadBinding struct {
	// SHA-256 of the payload, 32 bytes; empty where no payload is bound. 32 zero bytes are refused: they stand
	// for no payload in what the device signs.
	PayloadSHA256 []byte `json:"payloadSha256"`
	// A finished upload of the same caller and app, 16 bytes, in place of payload_sha256: the payload's SHA-256
	// is that of the upload (Uploads.Begin). Empty: none. A request with an upload that is unknown, unfinished
	// or expired is not judged, and spends nothing.
	UploadID []byte `json:"uploadId"`
}

// EmbeddedBinding is the app's own client data, which has the challenge in it.
type EmbeddedBinding struct {
	// The exact bytes whose SHA-256 the app gave to the platform.
	ClientData []byte `json:"clientData"`
}

// CallerOwnedBinding is a hash that the caller vouches for, freshness included.
type CallerOwnedBinding struct {
	// The clientDataHash that the app gave to the platform, 1 to 64 bytes.
	ClientDataHash []byte `json:"clientDataHash"`
}

// InEvidenceBinding is none: the evidence is a statement of its own.
type InEvidenceBinding struct {
}

// Binding is how the evidence is tied to this request. Exactly one mode, given once. A mode or any other field that the
// daemon does not know, here or inside the mode, is INVALID_ARGUMENT, and so is a mode that stands twice: what a
// client wants bound is never taken for nothing.
type Binding struct {
	// Assay's own client data: "assay1", purpose, challenge, payload hash. See docs/concepts/challenges.md.
	ClientData *PayloadBinding `json:"clientData"`
	// The app's own client data, with the challenge at the place that the configuration names.
	Embedded *EmbeddedBinding `json:"embedded"`
	// A hash that the caller vouches for, freshness included.
	CallerOwned *CallerOwnedBinding `json:"callerOwned"`
	// None: the evidence is a statement of its own. Implied when the binding is left out: for a certificate
	// bundle, an offline signature, and for evidence of plugins without a challenge.
	InEvidence *InEvidenceBinding `json:"inEvidence"`
}

// ResultRequest is a signed result that is asked for beside a verdict. Unknown fields are INVALID_ARGUMENT, since one could
// narrow what is signed.
type ResultRequest struct {
	// One of those that the app's section `results` allows.
	Shape ResultShape `json:"shape"`
	// Whom the result is for: 1 to 256 bytes, one of the audiences that the app's section `results` lists.
	Audience string `json:"audience"`
	// 8 to 64 bytes that the audience gave the caller, so that it knows the result to be new; empty: none.
	Nonce []byte `json:"nonce"`
}

// VerifyRequest is what Client.Verify asks.
type VerifyRequest struct {
	App string `json:"app"`
	// REGISTER or ASSERT.
	Purpose Purpose `json:"purpose"`
	// As issued. Empty with a caller-owned binding, and for evidence that needs no challenge.
	Challenge []byte `json:"challenge"`
	// The context that the challenge was issued for.
	Context []byte `json:"context"`
	// 1 to 4 pieces, each of another kind, of one device. All must be good.
	Evidence []Evidence `json:"evidence"`
	// Left out: client data without a payload. Given, it must name a mode that the daemon knows, and stand once:
	// protobuf would merge two; they are INVALID_ARGUMENT.
	Binding *Binding `json:"binding"`
	// The caller's account or user, at most 256 bytes, kept as a keyed hash. A device registered for one subject
	// is refused for another. While the subject is blocked the request is refused, whatever evidence comes with
	// it.
	Subject []byte `json:"subject"`
	// 16 bytes: refuse evidence of any other device.
	ExpectedDeviceID []byte `json:"expectedDeviceId"`
	// The IP address of the caller's own client, as text; may be empty. Requests are counted by it where the app
	// limits rates: all of an IPv4 address, the first 64 bits of an IPv6 address. It is not stored or logged,
	// and bears on no verdict.
	SourceAddress string `json:"sourceAddress"`
	// Signals about a capture, at most 64 KiB: the JSON document (docs/concepts/confidence.md) byte for byte as the app
	// made it. They count only if the payload that the device signed is their SHA-256.
	Signals []byte `json:"signals"`
	// 16 bytes, with REGISTER only: the device whose key the user has lost. The registration retires it in the
	// same commit: its key is unknown from then on, and its certificates are revoked. The app's `replaces` says
	// which devices may be named: by default those that were registered for the request's subject.
	ReplacesDeviceID []byte `json:"replacesDeviceId"`
	// At most 4 signed results, for an ACCEPTED verdict: no two of the same shape for the same audience. What
	// the app does not allow is refused before anything is judged: PERMISSION_DENIED, `result_shape_not_allowed`
	// or `result_audience_not_allowed`. They bear on no verdict, and are no part of what makes requests under an
	// idempotency key equal: each is signed again.
	Results []ResultRequest `json:"results"`
	// How much a rejection tells. A value that the daemon does not know is INVALID_ARGUMENT. It bears on neither
	// decision nor reason, and is no part of what makes requests under an idempotency key equal.
	Report VerifyRequestReport `json:"report"`
}

// IssueCertificateRequest is what Client.IssueCertificate asks.
type IssueCertificateRequest struct {
	App string `json:"app"`
	// Issued for the purpose PROVISION.
	Challenge []byte `json:"challenge"`
	// The context that the challenge was issued for.
	Context []byte `json:"context"`
	// 1 to 4 pieces, each of another kind, of one device. All must be good, and one must register a device or
	// come from a registered one.
	Evidence []Evidence `json:"evidence"`
	// SHA-256 of the payload in the client data, 32 bytes; empty: none is bound. If the platform cannot attest
	// the key to be certified (App Attest), the payload must be the CSR.
	PayloadSHA256 []byte `json:"payloadSha256"`
	// A PKCS#10 certificate signing request (DER), at most 16 KiB. Only its key is used.
	CSR []byte `json:"csr"`
	// A SubjectPublicKeyInfo (DER), at most 1 KiB: only for a key that the evidence attests.
	PublicKey []byte `json:"publicKey"`
	// As in VerifyRequest.
	Subject          []byte `json:"subject"`
	ExpectedDeviceID []byte `json:"expectedDeviceId"`
	// As in VerifyRequest.
	SourceAddress string `json:"sourceAddress"`
}

// ProvisionDeviceRequest is what Client.ProvisionDevice asks.
type ProvisionDeviceRequest struct {
	App string `json:"app"`
	// The serial number that the manufacturer gave, 1 to 255 characters: visible ones, and no white space at
	// either end.
	DeviceSerial string `json:"deviceSerial"`
	// At most 64 characters; may be empty.
	DeviceFamily string `json:"deviceFamily"`
	// 32 bytes; empty: Assay makes one.
	DeviceSecret []byte `json:"deviceSecret"`
	// A PKCS#10 certificate signing request (DER) of a P-256 key, at most 16 KiB. Empty only where the
	// configuration allows it: Assay then makes the key.
	CSR []byte `json:"csr"`
	// A one-time enrolment token. Empty: the serial number must be on the allow-list, or readmitted.
	EnrolmentToken string `json:"enrolmentToken"`
}

// GetDeviceRequest is what Client.GetDevice asks.
type GetDeviceRequest struct {
	// The app that the device belongs to.
	App string `json:"app"`
	// 16 bytes.
	DeviceID []byte `json:"deviceId"`
	// The platform's key id, raw bytes.
	KeyID []byte `json:"keyId"`
	// The serial number under which the device was provisioned. A device that replaced another has it alone.
	DeviceSerial string `json:"deviceSerial"`
}

// ListDevicesRequest is what Client.ListDevices asks.
type ListDevicesRequest struct {
	App string `json:"app"`
	// Only devices registered for this subject, at most 256 bytes. Empty: all.
	Subject []byte `json:"subject"`
	// Only devices in this state. Not set: all.
	State DeviceState `json:"state"`
	// At most 500. 0: 100.
	PageSize uint32 `json:"pageSize"`
	// As the page before said; with the same app, subject, state, flag and serial number. Empty: the first page.
	PageToken []byte `json:"pageToken"`
	// Only the device that was provisioned under this serial number. Empty: all.
	DeviceSerial string `json:"deviceSerial"`
	// Only devices on which this flag stands: [a-z0-9_]{1,32}. Empty: all.
	Flag string `json:"flag"`
}

// BlockTarget is what is blocked: exactly one target. A target or any other field that the daemon does not know is INVALID_ARGUMENT.
type BlockTarget struct {
	// 16 bytes; the device must be on record.
	DeviceID []byte `json:"deviceId"`
	// The caller's account or user, 1 to 256 bytes.
	Subject []byte `json:"subject"`
	// The platform's key id, 1 to 64 raw bytes.
	KeyID []byte `json:"keyId"`
}

// BlockRequest is what Client.Block asks.
type BlockRequest struct {
	App    string       `json:"app"`
	Target *BlockTarget `json:"target"`
	// For operators, 1 to 256 bytes; no device and no verdict shows it. It stands in the audit log, from which
	// nothing can be deleted: name no person.
	Reason string `json:"reason"`
}

// UnblockRequest is what Client.Unblock asks.
type UnblockRequest struct {
	App    string       `json:"app"`
	Target *BlockTarget `json:"target"`
}

// FindVerdictsRequest is what Client.FindVerdicts asks.
type FindVerdictsRequest struct {
	App string `json:"app"`
	// SHA-256 of the payload as it was bound, of a file of a capture, or of a camera's image: 32 bytes.
	PayloadSHA256 []byte `json:"payloadSha256"`
	// The address of the caller's own client, by which look-ups are counted; empty: not counted by address.
	SourceAddress string `json:"sourceAddress"`
	// The answer, signed for others: at most 4, of the shapes PLAIN_JWS and PLAIN_COSE.
	Results []ResultRequest `json:"results"`
}

// GetResultKeysRequest is what Client.GetResultKeys asks.
type GetResultKeysRequest struct {
	// The issuer of results about simulated devices, in place of that of real ones.
	Simulated bool `json:"simulated"`
}
