package assay

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"sort"
	"strings"
	"testing"
)

func TestWhatIsLeftOutHasItsDefault(t *testing.T) {
	var verdict Verdict
	if err := (reader{}).readMessage([]byte(`{"reason":null}`), &verdict); err != nil {
		t.Fatal(err)
	}
	if verdict.Accepted() || verdict.Decision != "" || verdict.Assurance != AssuranceNone || verdict.Reason != "" || verdict.WouldReject != nil || verdict.DecidedAtUnixMs != 0 {
		t.Errorf("%+v", verdict)
	}
}

func TestUnknownValuesStayAndUnknownMembersAreIgnored(t *testing.T) {
	var verdict Verdict
	text := `{"decision":"DECISION_PENDING","assurance":9,"DECISION":"DECISION_ACCEPTED","brandNew":[1],"limits":["VERDICT_LIMIT_KEY_IN_SOFTWARE"]}`
	if err := (reader{}).readMessage([]byte(text), &verdict); err != nil {
		t.Fatal(err)
	}
	if verdict.Decision != "PENDING" || verdict.Assurance != "9" || verdict.Accepted() || verdict.Limits[0] != VerdictLimitKeyInSoftware || string(verdict.Raw) != text {
		t.Errorf("%+v", verdict)
	}
}

func TestIntegersAndBytesAreTakenInEachForm(t *testing.T) {
	for text, want := range map[string]int64{`"9223372036854775807"`: 1<<63 - 1, "9223372036854775807": 1<<63 - 1, "-5": -5, "1e3": 1000, "2.0": 2} {
		var device Device
		if err := (reader{}).readMessage([]byte(`{"registeredAtUnixMs":`+text+`}`), &device); err != nil || device.RegisteredAtUnixMs != want {
			t.Error(text, device.RegisteredAtUnixMs, err)
		}
	}
	for _, text := range []string{"+/8=", "-_8=", "+/8", "-_8"} {
		var device Device
		if err := (reader{}).readMessage([]byte(`{"deviceId":"`+text+`"}`), &device); err != nil || string(device.DeviceID) != "\xfb\xff" {
			t.Error(text, device.DeviceID, err)
		}
	}
}

func TestMemberOfAnotherTypeIsRefusedByItsPlace(t *testing.T) {
	for text, want := range map[string]string{
		`{"findings":[{},{"check":1}]}`:              "findings[1].check is not a text",
		`{"findings":{}}`:                            "findings is not a list",
		`{"repeated":"true"}`:                        "repeated is not true or false",
		`{"deviceId":"a"}`:                           "deviceId is not Base64",
		`{"deviceId":"AA\nAA"}`:                      "deviceId is not Base64",
		`{"decidedAtUnixMs":1.5}`:                    "decidedAtUnixMs is not an integer of 64 bits",
		`{"decidedAtUnixMs":"9223372036854775808"}`:  "decidedAtUnixMs is not an integer of 64 bits",
		`{"decision":true}`:                          "decision is not the name of a value",
		`{"confidence":{"score":{"millionths":-1}}}`: "confidence.score.millionths is not an integer of 0 to 4294967295",
		`{"bound":[]}`:                               "bound is not an object",
	} {
		var verdict Verdict
		if err := (reader{}).readMessage([]byte(text), &verdict); err == nil || err.Error() != want {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestRequestLeavesDefaultsOut(t *testing.T) {
	text, err := writeMessage(VerifyRequest{
		App: "photos", Purpose: PurposeAssert, Challenge: []byte{}, Evidence: []Evidence{PlayIntegrityTokenEvidence("t")},
		Binding: &Binding{InEvidence: &InEvidenceBinding{}}, Report: "NEWER",
	})
	want := `{"app":"photos","binding":{"inEvidence":{}},"evidence":[{"playIntegrityToken":{"token":"t"}}],"purpose":"PURPOSE_ASSERT","report":"REPORT_NEWER"}`
	if err != nil || string(text) != want {
		t.Error(string(text), err)
	}
}

func TestEachKindOfEvidence(t *testing.T) {
	key, content := []byte{1}, []byte{2}
	for want, evidence := range map[string]Evidence{
		`{"appAttestAttestation":{"attestation":"Ag==","keyId":"AQ=="}}`:                       AppAttestAttestationEvidence(key, content),
		`{"appAttestAssertion":{"assertion":"Ag==","keyId":"AQ=="}}`:                           AppAttestAssertionEvidence(key, content),
		`{"androidKeyAttestation":{"certificates":["AQ==","Ag=="]}}`:                           AndroidKeyAttestationEvidence(key, content),
		`{"keySignature":{"algorithm":"ALGORITHM_ED25519","keyId":"AQ==","signature":"Ag=="}}`: KeySignatureEvidence(key, content, KeySignatureAlgorithmEd25519),
		`{"certificateBundle":{"json":"Ag=="}}`:                                                CertificateBundleEvidence(content),
		`{"deviceCheckToken":{"token":"Ag=="}}`:                                                DeviceCheckTokenEvidence(content),
		`{"offlineSignature":{"capturedAtUnixMs":"7","keyId":"AQ==","payloadSha256":"Ag=="}}`:  OfflineSignatureEvidence(OfflineSignature{KeyID: key, CapturedAtUnixMs: 7, PayloadSHA256: content}),
		`{"pluginEvidence":{"body":"Ag==","format":"depth"}}`:                                  PluginEvidenceOf("depth", content),
	} {
		if text, err := writeMessage(evidence); err != nil || string(text) != want {
			t.Error(string(text), err)
		}
		if read, err := EvidenceFromJSON([]byte(want)); err != nil || !reflect.DeepEqual(read, evidence) {
			t.Error(want, read, err)
		}
	}
}

func TestEvidenceThatIsNotKnownIsRefused(t *testing.T) {
	for _, text := range []string{
		"{}", "[]", "null", `{"sealed":{}}`, `{"playIntegrityToken":{"token":"t","more":1}}`, `{"playIntegrityToken":{},"deviceCheckToken":{}}`, "{",
		strings.Repeat("[", 1_000_000),
	} {
		_, err := EvidenceFromJSON([]byte(text))
		if failure := failureOf(t, err); failure.Reason != "bad_request" {
			t.Error(text, failure)
		}
	}
}

// protoMessages has the messages of the .proto files, each name with those around it and its members in lower camel case.
func protoMessages(t *testing.T) map[string][]string {
	files, err := filepath.Glob("../../proto/assay/v1/*.proto")
	if err != nil || len(files) == 0 {
		t.Fatal("there are no .proto files: ", err)
	}
	opening := regexp.MustCompile(`^\s*(message|enum|oneof|service|rpc)\s+(\w+).*\{`)
	member := regexp.MustCompile(`^\s*(?:repeated\s+)?[\w.]+(?:<.*>)?\s+(\w+)\s*=\s*\d+`)
	comment := regexp.MustCompile(`//.*`)
	upper := regexp.MustCompile(`_[a-z0-9]`)
	messages := map[string][]string{}
	for _, path := range files {
		file, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		var scope []string
		for lines := bufio.NewScanner(file); lines.Scan(); {
			line := strings.TrimRight(comment.ReplaceAllString(lines.Text(), ""), " ")
			opened, closes := opening.FindStringSubmatch(line), strings.HasSuffix(line, "}")
			name := strings.Join(scope, "")
			switch {
			case opened != nil && opened[1] == "message":
				messages[name+opened[2]] = nil
				if !closes {
					scope = append(scope, opened[2])
				}
			case opened != nil && !closes:
				scope = append(scope, "")
			case opened == nil && closes:
				scope = scope[:len(scope)-1]
			default:
				if found := member.FindStringSubmatch(line); found != nil {
					messages[name] = append(messages[name], upper.ReplaceAllStringFunc(found[1], func(part string) string { return strings.ToUpper(part[1:]) }))
				}
			}
		}
	}
	return messages
}

func TestMessagesHaveTheMembersOfTheProtoFiles(t *testing.T) {
	proto := protoMessages(t)
	seen := map[reflect.Type]bool{}
	var visit func(kind reflect.Type)
	visit = func(kind reflect.Type) {
		for kind.Kind() == reflect.Pointer || kind.Kind() == reflect.Slice {
			kind = kind.Elem()
		}
		if kind.Kind() != reflect.Struct || seen[kind] {
			return
		}
		seen[kind] = true
		var members, want []string
		for index := 0; index < kind.NumField(); index++ {
			if name := kind.Field(index).Tag.Get("json"); name != "-" {
				members = append(members, name)
				visit(kind.Field(index).Type)
			}
		}
		for _, name := range proto[kind.Name()] {
			// An option of the call, in place of a member.
			if name != "idempotencyKey" || !strings.HasSuffix(kind.Name(), "Request") {
				want = append(want, name)
			}
		}
		sort.Strings(members)
		sort.Strings(want)
		if !reflect.DeepEqual(members, want) {
			t.Errorf("%s has %v, and the .proto files %v", kind.Name(), members, want)
		}
	}
	for _, message := range []any{
		IssueChallengeRequest{}, IssueChallengeResponse{}, VerifyRequest{}, Verdict{}, IssueCertificateRequest{}, IssueCertificateResponse{},
		ProvisionDeviceRequest{}, ProvisionDeviceResponse{}, GetDeviceRequest{}, Device{}, ListDevicesRequest{}, ListDevicesResponse{}, BlockRequest{},
		BlockResponse{}, UnblockRequest{}, UnblockResponse{}, FindVerdictsRequest{}, FindVerdictsResponse{}, GetResultKeysRequest{},
		GetResultKeysResponse{}, WhoAmIResponse{},
	} {
		visit(reflect.TypeOf(message))
	}
	if len(seen) < 50 {
		t.Errorf("only %d messages were compared", len(seen))
	}
}

func FuzzReadVerdict(f *testing.F) {
	f.Add([]byte(`{"decision":"DECISION_ACCEPTED","claims":[{"name":"a","integer":"1"}],"confidence":{"score":{"millionths":1}}}`))
	f.Add([]byte(`{"deviceId":"AA==","decidedAtUnixMs":1e300}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		var verdict Verdict
		if (reader{}).readMessage(text, &verdict) != nil {
			return
		}
		if !json.Valid(text) {
			t.Error("what is no JSON was read")
		}
		if _, err := writeMessage(verdict); err != nil {
			t.Error(err)
		}
	})
}
