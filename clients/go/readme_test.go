package assay

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
)

// block is the code behind a mark in README.md.
func block(t *testing.T, name string) string {
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, has := strings.Cut(string(text), "<!-- test: "+name+" -->\n```go\n")
	code, _, ends := strings.Cut(rest, "```")
	if !has || !ends {
		t.Fatal("README.md has no block ", name)
	}
	return code
}

// program is a user's program around the blocks of README.md.
const program = `package main

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"assay"
)

func main() {
	client, err := assay.New(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	http.Handle("/challenges", challenges(client))
	http.Handle("/uploads", uploads(client, func(name string, photo []byte) { fmt.Println("stored", name, string(photo)) }))
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("listens", listener.Addr())
	log.Fatal(http.Serve(listener, nil))
}

func calls(ctx context.Context, key, token string, csr, id, digest []byte) error {
	CALLS
	_, _, _, _ = made, page, found, feeds
	return err
}

func show(err error) {
	ERRORS
}
`

// handler is the program of README.md, running.
type handler struct {
	t     *testing.T
	url   string
	lines chan string
}

// startHandler builds the program as a user does, in a module of its own, and runs it until the test ends, with a variable SIMULATED.
func startHandler(t *testing.T, daemon, simulated string) *handler {
	folder := t.TempDir()
	here, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	source := strings.NewReplacer("CALLS", block(t, "calls"), "ERRORS", block(t, "errors")).Replace(program) + block(t, "handler") + block(t, "challenges")
	module := "module example.org/uploads\n\ngo 1.21\n\nrequire assay v0.1.0\n\nreplace assay => " + here + "\n"
	for name, text := range map[string]string{"main.go": source, "go.mod": module} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	build := exec.Command("go", "build", "-o", "uploads", ".")
	build.Dir = folder
	if said, err := build.CombinedOutput(); err != nil {
		t.Fatalf("the program of README.md cannot be built: %v\n%s", err, said)
	}
	run := exec.Command(filepath.Join(folder, "uploads"), daemon)
	run.Env = append(os.Environ(), "SIMULATED="+simulated)
	h := &handler{t: t, lines: startProcess(t, run)}
	h.url = "http://" + strings.TrimPrefix(h.next("listens "), "listens ")
	return h
}

// startProcess ends with the test. It returns the lines of standard output.
func startProcess(t *testing.T, command *exec.Cmd) chan string {
	output, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		command.Process.Signal(syscall.SIGTERM)
		command.Wait()
	})
	lines := make(chan string, 1000)
	go func() {
		defer close(lines)
		for scanner := bufio.NewScanner(output); scanner.Scan(); {
			lines <- scanner.Text()
		}
	}()
	return lines
}

// next is the next line with a prefix.
func (h *handler) next(prefix string) string {
	h.t.Helper()
	return nextLine(h.t, h.lines, regexp.MustCompile("^"+regexp.QuoteMeta(prefix)))[0]
}

func nextLine(t *testing.T, lines chan string, pattern *regexp.Regexp) []string {
	t.Helper()
	patience := time.After(120 * time.Second)
	for {
		select {
		case line, isOpen := <-lines:
			if !isOpen {
				t.Fatal("the process ended before it said ", pattern)
			}
			if found := pattern.FindStringSubmatch(line); found != nil {
				found[0] = line
				return found
			}
		case <-patience:
			t.Fatal("the process does not say ", pattern)
		}
	}
}

// post is a phone's request: the status, and the word of the answer or its body.
func (h *handler) post(path, user, body string) (int, string) {
	h.t.Helper()
	message, err := http.NewRequest(http.MethodPost, h.url+path, strings.NewReader(body))
	if err != nil {
		h.t.Fatal(err)
	}
	message.Header.Set("User", user)
	response, err := http.DefaultClient.Do(message)
	if err != nil {
		h.t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		h.t.Fatal(err)
	}
	var answer struct{ Then string }
	if err := json.Unmarshal(text, &answer); err != nil || response.Header.Get("Content-Type") != "application/json" {
		h.t.Fatalf("%s answers %q as %s: %v", path, text, response.Header.Get("Content-Type"), err)
	}
	if answer.Then != "" {
		return response.StatusCode, answer.Then
	}
	return response.StatusCode, strings.TrimSpace(string(text))
}

func TestHandlerIsShort(t *testing.T) {
	if lines := strings.Count(block(t, "handler"), "\n"); lines > 40 {
		t.Errorf("the handler of README.md has %d lines", lines)
	}
}

const sentUpload = `{"upload_id":"1","challenge":"AAECAwQF","key_id":"AQ==","photo":"YSBwaG90bw==","signature":"Ag=="}`

func digestOf(text string) []byte {
	digest := sha256.Sum256([]byte(text))
	return digest[:]
}

func TestHandlerAsksForAVerdict(t *testing.T) {
	daemon := newServer(t, nil,
		said(200, challengeAnswer), said(200, `{"decision":"DECISION_ACCEPTED"}`), said(200, `{"decision":"DECISION_REJECTED","retry":"RETRY_CLASS_NEW_CHALLENGE"}`),
		said(200, `{"decision":"DECISION_ACCEPTED","simulated":true}`), said(200, `{}`),
		said(403, `{"code":"permission_denied"}`), said(400, `{"code":"invalid_argument"}`))
	h := startHandler(t, daemon.URL, "")
	expect := func(path, user, body string, status int, answer string) {
		t.Helper()
		if gotStatus, got := h.post(path, user, body); gotStatus != status || got != answer {
			t.Errorf("%s of %q: %d %q", path, user, gotStatus, got)
		}
	}
	for _, body := range []string{"", "{", "[]", "7", `{"photo":7}`} {
		expect("/uploads", "alice", body, 400, "give_up")
	}
	expect("/uploads", "", sentUpload, 400, "give_up")
	if len(daemon.all()) != 0 {
		t.Error("the daemon was asked about what is no upload")
	}
	expect("/challenges", "alice", "", 200, `{"challenge":"AAECAwQF"}`)
	expect("/uploads", "alice", sentUpload, 201, "done")
	h.next("stored " + hex.EncodeToString(digestOf("alice/1")) + " a photo")
	asked := daemon.all()[1]
	encode := base64.StdEncoding.EncodeToString
	want := map[string]any{
		"app": "photos", "purpose": "PURPOSE_ASSERT", "challenge": "AAECAwQF", "context": encode(digestOf("alice")), "subject": encode([]byte("alice")),
		"evidence": []any{map[string]any{"keySignature": map[string]any{"keyId": "AQ==", "algorithm": "ALGORITHM_ECDSA_P256_SHA256", "signature": "Ag=="}}},
		"binding":  map[string]any{"clientData": map[string]any{"payloadSha256": encode(digestOf("a photo"))}},
	}
	if !reflect.DeepEqual(asked.body, want) || asked.header.Get("Idempotency-Key") != hex.EncodeToString(digestOf("alice/1")) {
		t.Error("the daemon was asked ", asked)
	}
	expect("/uploads", "alice", sentUpload, 403, "new_challenge")
	expect("/uploads", "alice", sentUpload, 403, "give_up")
	expect("/uploads", "alice", sentUpload, 403, "give_up")
	expect("/uploads", "alice", sentUpload, 503, "later")
	expect("/uploads", "alice", sentUpload, 400, "give_up")
}

func TestHandlerTakesAVirtualDeviceOnTrial(t *testing.T) {
	h := startHandler(t, newServer(t, nil, said(200, `{"decision":"DECISION_ACCEPTED","simulated":true}`)).URL, "1")
	if status, answer := h.post("/uploads", "alice", sentUpload); status != 201 || answer != "done" {
		t.Errorf("%d %q", status, answer)
	}
	h.next("stored " + hex.EncodeToString(digestOf("alice/1")) + " a photo")
}

// TestHandlerWithADaemon lets a virtual Android device register and upload.
func TestHandlerWithADaemon(t *testing.T) {
	bin := os.Getenv("ASSAY_BIN")
	if bin == "" {
		bin, _ = filepath.Abs("../../.build/debug")
	}
	assayd, tool := filepath.Join(bin, "assayd"), filepath.Join(bin, "assay")
	for _, path := range []string{assayd, tool} {
		if _, err := os.Stat(path); err != nil {
			t.Skip("assayd and assay are not in ", bin)
		}
	}
	dev := exec.Command(assayd, "dev", "--port", "0")
	dev.Dir = t.TempDir()
	lines := startProcess(t, dev)
	url := nextLine(t, lines, regexp.MustCompile(`HTTP\s+(http:\S+)`))[1]
	device := filepath.Join(nextLine(t, lines, regexp.MustCompile(`folder\s+(/\S+?)\s`))[1], "android")
	simulate := func(command string, challenge []byte, payload string) []byte {
		t.Helper()
		folder := t.TempDir()
		if err := os.WriteFile(filepath.Join(folder, "payload"), []byte(payload), 0o600); err != nil {
			t.Fatal(err)
		}
		words := []string{"simulate", "android", command, device, "--challenge", base64.StdEncoding.EncodeToString(challenge), "--payload", "payload", "--out", "evidence"}
		run := exec.Command(tool, words...)
		run.Dir = folder
		if said, err := run.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", words, err, said)
		}
		evidence, err := os.ReadFile(filepath.Join(folder, "evidence"))
		if err != nil {
			t.Fatal(err)
		}
		return evidence
	}

	client, err := New(url)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	ctx := context.Background()
	issued, err := client.IssueChallenge(ctx, IssueChallengeRequest{App: "photos", Purpose: PurposeRegister, Context: digestOf("alice")})
	if err != nil {
		t.Fatal(err)
	}
	registered, err := client.Verify(ctx, VerifyRequest{
		App: "photos", Purpose: PurposeRegister, Challenge: issued.Challenge, Context: digestOf("alice"), Subject: []byte("alice"),
		Evidence: []Evidence{AndroidKeyAttestationEvidence(certificatesOf(t, simulate("attest", issued.Challenge, "alice"))...)},
		Binding:  BindPayload(digestOf("alice")),
	})
	if err != nil || !registered.Accepted() || !registered.Simulated || registered.Assurance != AssuranceSecureElement {
		t.Fatalf("%+v %v", registered, err)
	}

	h := startHandler(t, url, "1")
	_, answer := h.post("/challenges", "alice", "")
	var challenge struct{ Challenge []byte }
	if err := json.Unmarshal([]byte(answer), &challenge); err != nil {
		t.Fatal(answer, err)
	}
	keyID, err := os.ReadFile(filepath.Join(device, "key-id"))
	if err != nil {
		t.Fatal(err)
	}
	encode := base64.StdEncoding.EncodeToString
	upload := func(id string) string {
		text, err := json.Marshal(map[string]string{
			"upload_id": id, "key_id": string(bytes.TrimSpace(keyID)), "photo": encode([]byte("a photo")), "challenge": encode(challenge.Challenge),
			"signature": encode(simulate("sign", challenge.Challenge, "a photo")),
		})
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	first, second := upload("1"), upload("2")
	for index, attempt := range []struct {
		user, body string
		status     int
		answer     string
	}{
		{"alice", first, 201, "done"}, {"alice", first, 201, "done"}, {"alice", second, 403, "new_challenge"}, {"bob", first, 403, "new_challenge"},
	} {
		if status, answer := h.post("/uploads", attempt.user, attempt.body); status != attempt.status || answer != attempt.answer {
			t.Errorf("upload %d: %d %q", index, status, answer)
		}
	}
}

// certificatesOf are the certificates of a text in PEM, in DER.
func certificatesOf(t *testing.T, text []byte) [][]byte {
	var certificates [][]byte
	for {
		block, rest := pem.Decode(text)
		if block == nil {
			break
		}
		certificates, text = append(certificates, block.Bytes), rest
	}
	if len(certificates) == 0 {
		t.Fatal("there is no certificate")
	}
	return certificates
}
