package assay

// One constructor for each kind of evidence that a device sends.

// AppAttestAttestationEvidence is of DCAppAttestService.attestKey. The key id is 32 bytes, decoded from the text that generateKey returns.
func AppAttestAttestationEvidence(keyID, attestation []byte) Evidence {
	return Evidence{AppAttestAttestation: &AppAttestAttestation{KeyID: keyID, Attestation: attestation}}
}

// AppAttestAssertionEvidence is of DCAppAttestService.generateAssertion.
func AppAttestAssertionEvidence(keyID, assertion []byte) Evidence {
	return Evidence{AppAttestAssertion: &AppAttestAssertion{KeyID: keyID, Assertion: assertion}}
}

// AndroidKeyAttestationEvidence is of KeyStore.getCertificateChain: DER, leaf first.
func AndroidKeyAttestationEvidence(certificates ...[]byte) Evidence {
	return Evidence{AndroidKeyAttestation: &AndroidKeyAttestation{Certificates: certificates}}
}

// PlayIntegrityTokenEvidence is a token as it came.
func PlayIntegrityTokenEvidence(token string) Evidence {
	return Evidence{PlayIntegrityToken: &PlayIntegrityToken{Token: token}}
}

// KeySignatureEvidence is a signature by a registered key, whose id is SHA-256 of its SubjectPublicKeyInfo.
func KeySignatureEvidence(keyID, signature []byte, algorithm KeySignatureAlgorithm) Evidence {
	return Evidence{KeySignature: &KeySignature{KeyID: keyID, Algorithm: algorithm, Signature: signature}}
}

// CertificateBundleEvidence is the JSON that a camera sent, as it came.
func CertificateBundleEvidence(json []byte) Evidence {
	return Evidence{CertificateBundle: &CertificateBundle{JSON: json}}
}

// DeviceCheckTokenEvidence is of DCDevice.generateToken.
func DeviceCheckTokenEvidence(token []byte) Evidence {
	return Evidence{DeviceCheckToken: &DeviceCheckToken{Token: token}}
}

// OfflineSignatureEvidence is a capture that a device signed while it had no challenge.
func OfflineSignatureEvidence(signature OfflineSignature) Evidence {
	return Evidence{OfflineSignature: &signature}
}

// PluginEvidenceOf is evidence of a format that a plugin judges.
func PluginEvidenceOf(format string, body []byte) Evidence {
	return Evidence{PluginEvidence: &PluginEvidence{Format: format, Body: body}}
}

// EvidenceFromJSON reads evidence as docs/reference/http.md has it, such as {"appAttestAssertion": {"keyId": "…", "assertion": "…"}}. Anything that
// is not known is refused, since it could say what the evidence is.
func EvidenceFromJSON(text []byte) (Evidence, error) {
	var evidence Evidence
	if err := (reader{isStrict: true}).readMessage(text, &evidence); err != nil {
		return Evidence{}, ownError("bad_request", err, "evidence: %v", err)
	}
	if evidence.kinds() != 1 {
		return Evidence{}, ownError("bad_request", nil, "evidence: it is not exactly one kind of evidence")
	}
	return evidence, nil
}

func (e Evidence) kinds() int {
	count := 0
	for _, isGiven := range []bool{
		e.AppAttestAttestation != nil, e.AppAttestAssertion != nil, e.AndroidKeyAttestation != nil, e.PlayIntegrityToken != nil,
		e.KeySignature != nil, e.CertificateBundle != nil, e.SafetyNetResponse != nil, e.PluginEvidence != nil, e.DeviceCheckToken != nil,
		e.OfflineSignature != nil,
	} {
		if isGiven {
			count++
		}
	}
	return count
}

// BindPayload binds a request to a payload: the device signed Assay's own client data over this SHA-256.
func BindPayload(sha256 []byte) *Binding {
	return &Binding{ClientData: &PayloadBinding{PayloadSHA256: sha256}}
}

// BindUpload binds a request to a finished upload, whose SHA-256 the daemon knows.
func BindUpload(uploadID []byte) *Binding {
	return &Binding{ClientData: &PayloadBinding{UploadID: uploadID}}
}
