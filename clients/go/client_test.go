package assay

import (
	"bytes"
	"context"
	"errors"
	"net"
	"net/http"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"testing"
	"time"
)

const challengeAnswer = `{"challenge":"AAECAwQF","expiresAtUnixMs":"1776124800000"}`

var unavailable = said(503, `{"code":"unavailable","message":"why"}`)

// failureOf is the error of a call; the test ends if it is none.
func failureOf(t *testing.T, err error) *Error {
	t.Helper()
	var failure *Error
	if !errors.As(err, &failure) {
		t.Fatalf("the error is %v, and no *Error", err)
	}
	return failure
}

func expectFailure(t *testing.T, err error, code Code, reason string, attempts int) {
	t.Helper()
	failure := failureOf(t, err)
	if failure.Code != code || failure.Reason != reason || failure.Attempts != attempts {
		t.Errorf("the error is %v after %d tries, not %s (%s) after %d", failure, failure.Attempts, code, reason, attempts)
	}
}

func TestRequestHasTheMessageAndItsHeader(t *testing.T) {
	server := newServer(t, nil, said(200, challengeAnswer))
	client, _ := newTestClient(t, server.URL+"/below/")
	answer, err := client.IssueChallenge(context.Background(), IssueChallengeRequest{App: "photos", Purpose: PurposeAssert, Context: []byte("me")})
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(answer.Challenge, []byte{0, 1, 2, 3, 4, 5}) || answer.ExpiresAtUnixMs != 1776124800000 || string(answer.Raw) != challengeAnswer {
		t.Errorf("the answer is %+v", answer)
	}
	came := server.all()[0]
	if came.path != "/below/assay.v1.Attestation/IssueChallenge" {
		t.Error("the path is ", came.path)
	}
	if want := map[string]any{"app": "photos", "purpose": "PURPOSE_ASSERT", "context": "bWU="}; !reflect.DeepEqual(came.body, want) {
		t.Error("the body is ", came.body)
	}
	left, _ := strconv.Atoi(came.header.Get("Connect-Timeout-Ms"))
	if left <= 29_000 || left > 30_000 {
		t.Error("what is left of the time-out is ", left)
	}
	if came.header.Get("User-Agent") != "assay-go/"+Version || came.header.Get("Accept-Encoding") != "identity" {
		t.Error("the header is ", came.header)
	}
	for _, name := range []string{"Authorization", "Idempotency-Key", "X-Idempotency-Key"} {
		if _, has := came.header[name]; has {
			t.Errorf("the header has %s: %v", name, came.header)
		}
	}
}

func TestCallsShareAConnection(t *testing.T) {
	server := newServer(t, nil, said(200, "{}"), said(200, "{}"))
	client, _ := newTestClient(t, server.URL)
	for range [2]int{} {
		if _, err := client.WhoAmI(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	if all := server.all(); all[0].from != all[1].from {
		t.Error("there are two connections")
	}
}

func TestUnixSocketTakesAnAPIKey(t *testing.T) {
	path := filepath.Join(t.TempDir(), "http.sock")
	listener, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	seen := make(chan string, 1)
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen <- r.Host + " " + r.Header.Get("Authorization")
		said(200, `{"name":"uploads","roles":["verify"]}`)(w, r)
	})}
	go server.Serve(listener)
	t.Cleanup(func() { server.Close() })
	client, _ := newTestClient(t, "http+unix:"+path, WithAPIKey("assay_secret"))
	answer, err := client.WhoAmI(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if said := <-seen; said != "localhost Bearer assay_secret" || answer.Name != "uploads" || !reflect.DeepEqual(answer.Roles, []string{"verify"}) {
		t.Error(said, answer)
	}
}

func TestRequestThatCannotBeIsNotSent(t *testing.T) {
	server := newServer(t, nil)
	client, _ := newTestClient(t, server.URL)
	ctx := context.Background()
	calls := map[string]func() error{
		"a key with a line end": func() error {
			_, err := client.Verify(ctx, VerifyRequest{}, WithIdempotencyKey("a\r\nhost: b"))
			return err
		},
		"an empty key":           func() error { _, err := client.Verify(ctx, VerifyRequest{}, WithIdempotencyKey("")); return err },
		"a key of another":       func() error { _, err := client.WhoAmI(ctx, WithIdempotencyKey("k")); return err },
		"an option of Call":      func() error { _, err := client.WhoAmI(ctx, Idempotent()); return err },
		"no time":                func() error { _, err := client.WhoAmI(ctx, WithCallTimeout(0)); return err },
		"a service with a slash": func() error { _, err := client.Call(ctx, "Attestation/../x", "Verify", struct{}{}); return err },
		"a list":                 func() error { _, err := client.Call(ctx, "Attestation", "Verify", []int{1}); return err },
		"a channel":              func() error { _, err := client.Call(ctx, "Attestation", "Verify", make(chan int)); return err },
		"two keys": func() error {
			_, err := client.Call(ctx, "Attestation", "Verify", map[string]string{"idempotencyKey": "aw=="}, WithIdempotencyKey("k"))
			return err
		},
	}
	for name, call := range calls {
		t.Run(name, func(t *testing.T) { expectFailure(t, call(), CodeInvalidArgument, "bad_request", 0) })
	}
	if len(server.all()) != 0 {
		t.Error("a request came")
	}
}

func TestPausesDouble(t *testing.T) {
	server := newServer(t, nil, unavailable, unavailable, unavailable, said(200, "{}"))
	client, pauses := newTestClient(t, server.URL)
	if _, err := client.WhoAmI(context.Background()); err != nil {
		t.Fatal(err)
	}
	if want := []time.Duration{time.Second, 2 * time.Second, 4 * time.Second}; !reflect.DeepEqual(*pauses, want) {
		t.Error("the pauses are ", *pauses)
	}
}

func TestTriesShareARandomKey(t *testing.T) {
	accepted := said(200, `{"decision":"DECISION_ACCEPTED","repeated":true}`)
	server := newServer(t, nil, unavailable, accepted, accepted)
	client, _ := newTestClient(t, server.URL)
	verdict, err := client.Verify(context.Background(), VerifyRequest{App: "photos"})
	if err != nil || !verdict.Accepted() || verdict.Repeated {
		t.Fatal(verdict, err)
	}
	all := server.all()
	key := all[0].header.Get("Idempotency-Key")
	if !regexp.MustCompile("^[0-9a-f]{32}$").MatchString(key) || key != all[1].header.Get("Idempotency-Key") {
		t.Error("the keys are ", key, all[1].header)
	}
	if verdict, err = client.Verify(context.Background(), VerifyRequest{App: "photos"}, WithIdempotencyKey("mine")); err != nil || !verdict.Repeated {
		t.Error("under a key of the caller's the mark is the daemon's: ", verdict, err)
	}
}

func TestStatementThatWasAcceptedBeforeStaysMarked(t *testing.T) {
	server := newServer(t, nil, said(200, `{"decision":"DECISION_ACCEPTED","repeated":true,"findings":[{"code":"statement_repeated"}]}`))
	client, _ := newTestClient(t, server.URL)
	if verdict, err := client.Verify(context.Background(), VerifyRequest{}); err != nil || !verdict.Repeated {
		t.Error(verdict, err)
	}
}

func TestOnlyWhatWasNotBegunIsRepeatedWithoutAKey(t *testing.T) {
	overloaded := said(429, `{"code":"resource_exhausted","message":"why","details":[`+errorInfo("overloaded", "later")+`]}`)
	server := newServer(t, nil, overloaded, unavailable)
	client, _ := newTestClient(t, server.URL)
	_, err := client.Unblock(context.Background(), UnblockRequest{App: "photos"})
	expectFailure(t, err, CodeUnavailable, "", 2)
	if failure := failureOf(t, err); failure.HTTPStatus != 503 || failure.Retry != ErrorRetryLater {
		t.Error(failure)
	}
}

func TestTimeThatTheDaemonNamesIsTheLeast(t *testing.T) {
	server := newServer(t, nil, said(503, `{"code":"unavailable"}`, "Retry-After", "7"), said(200, "{}"))
	client, pauses := newTestClient(t, server.URL)
	if _, err := client.WhoAmI(context.Background()); err != nil {
		t.Fatal(err)
	}
	if len(*pauses) != 1 || (*pauses)[0].Round(time.Millisecond) != 7700*time.Millisecond {
		t.Error("the pauses are ", *pauses)
	}
}

func TestPauseBeyondTheTimeoutIsNotBegun(t *testing.T) {
	server := newServer(t, nil, unavailable, unavailable)
	client, pauses := newTestClient(t, server.URL, WithTimeout(900*time.Millisecond))
	_, err := client.WhoAmI(context.Background())
	expectFailure(t, err, CodeUnavailable, "", 1)
	ctx, cancel := context.WithTimeout(context.Background(), 900*time.Millisecond)
	defer cancel()
	client, _ = newTestClient(t, server.URL)
	_, err = client.WhoAmI(ctx)
	expectFailure(t, err, CodeUnavailable, "", 1)
	if len(*pauses) != 0 {
		t.Error("the pauses are ", *pauses)
	}
}

func TestKeptConnectionThatEndedIsReplacedAtOnce(t *testing.T) {
	end := func(w http.ResponseWriter, _ *http.Request) {
		connection, _, err := w.(http.Hijacker).Hijack()
		if err == nil {
			connection.Close()
		}
	}
	server := newServer(t, nil, said(200, "{}"), end, said(200, "{}"))
	client, pauses := newTestClient(t, server.URL)
	for range [2]int{} {
		if _, err := client.WhoAmI(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	if len(server.all()) != 3 || len(*pauses) != 0 {
		t.Error(len(server.all()), *pauses)
	}
}

func TestServerThatDoesNotAnswerEndsACall(t *testing.T) {
	release := make(chan struct{})
	wait := func(http.ResponseWriter, *http.Request) { <-release }
	server := newServer(t, nil, wait, wait, wait)
	defer close(release)
	client, _ := newTestClient(t, server.URL)
	_, err := client.WhoAmI(context.Background(), WithCallTimeout(50*time.Millisecond))
	expectFailure(t, err, CodeDeadlineExceeded, "timeout", 1)

	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	_, err = client.WhoAmI(ctx)
	expectFailure(t, err, CodeDeadlineExceeded, "timeout", 1)

	ctx, cancel = context.WithCancel(context.Background())
	time.AfterFunc(50*time.Millisecond, cancel)
	_, err = client.WhoAmI(ctx)
	expectFailure(t, err, CodeCanceled, "cancelled", 1)
	if !errors.Is(err, context.Canceled) {
		t.Error("the error does not say where it comes from: ", err)
	}
}

func TestAnswerThatIsTooLongIsNotRead(t *testing.T) {
	endless := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		for part := make([]byte, 65536); ; {
			if _, err := w.Write(part); err != nil {
				return
			}
		}
	}
	server := newServer(t, nil, endless)
	client, _ := newTestClient(t, server.URL, WithMaxAnswerBytes(1000))
	_, err := client.WhoAmI(context.Background())
	expectFailure(t, err, CodeInternal, "reply_too_large", 1)
}

func TestNothingListens(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	url := "http://" + listener.Addr().String()
	listener.Close()
	client, pauses := newTestClient(t, url)
	_, err = client.Unblock(context.Background(), UnblockRequest{App: "photos"})
	expectFailure(t, err, CodeUnavailable, "connect_failed", 5)
	if len(*pauses) != 4 || failureOf(t, err).Link != "clients/README.md#errors" {
		t.Error(*pauses, err)
	}
}

func TestClosedClientTakesNoCalls(t *testing.T) {
	server := newServer(t, nil)
	client, _ := newTestClient(t, server.URL)
	client.Close()
	_, err := client.WhoAmI(context.Background())
	expectFailure(t, err, CodeInvalidArgument, "bad_request", 0)
}

func TestClientServesManyCallsAtATime(t *testing.T) {
	steps := make([]step, 64)
	for index := range steps {
		steps[index] = said(200, challengeAnswer)
	}
	server := newServer(t, nil, steps...)
	client, _ := newTestClient(t, server.URL)
	failures := make(chan error, len(steps))
	for range steps {
		go func() {
			_, err := client.IssueChallenge(context.Background(), IssueChallengeRequest{App: "photos", Purpose: PurposeAssert})
			failures <- err
		}()
	}
	for range steps {
		if err := <-failures; err != nil {
			t.Error(err)
		}
	}
}
