package assay

import (
	"context"
	"encoding/base64"
	"net/http"
	"strings"
	"testing"
	"time"
)

// protoText is a text or message of a protobuf message, of at most 127 bytes.
func protoText(number byte, content string) string {
	return string([]byte{number<<3 | 2, byte(len(content))}) + content
}

// errorInfo is a detail of an error as the daemon writes it.
func errorInfo(reason, retry string) string {
	value := protoText(1, reason) + protoText(2, "assay") + protoText(3, protoText(1, "retry")+protoText(2, retry))
	return `{"type":"google.rpc.ErrorInfo","value":"` + base64.RawStdEncoding.EncodeToString([]byte(value)) + `"}`
}

// answerError is the error that an answer is.
func answerError(t *testing.T, status int, body string, header ...string) *Error {
	t.Helper()
	answer := httpAnswer{status: status, header: http.Header{"Content-Type": {"application/json"}}, body: []byte(body)}
	for index := 0; index+1 < len(header); index += 2 {
		answer.header.Set(header[index], header[index+1])
	}
	_, err := answer.message()
	return failureOf(t, err)
}

func TestErrorSaysWhatTheDetailsSay(t *testing.T) {
	failure := answerError(t, 403, `{"code":"permission_denied","message":"not\nallowed","details":[`+errorInfo("permission_denied", "contact_operator")+`]}`)
	if failure.Code != CodePermissionDenied || failure.Reason != "permission_denied" || failure.Retry != ErrorRetryContactOperator ||
		failure.Message != "not allowed" || failure.HTTPStatus != 403 || failure.Link != "docs/operate/callers.md#when-it-does-not-work" || failure.WasNotBegun() {
		t.Errorf("%+v", failure)
	}
	const text = "assay: permission_denied (permission_denied): not allowed [retry: contact_operator; see docs/operate/callers.md#when-it-does-not-work]"
	if failure.Error() != text {
		t.Error(failure)
	}
}

func TestRetryFollowsFromTheCode(t *testing.T) {
	for body, want := range map[string]ErrorRetry{
		`{"code":"unavailable"}`: ErrorRetryLater, `{"code":"not_found"}`: ErrorRetryNever, `{"code":"internal"}`: ErrorRetryContactOperator,
	} {
		if failure := answerError(t, 500, body); failure.Retry != want {
			t.Error(body, failure.Retry)
		}
	}
	if failure := answerError(t, 500, `{"code":"brand_new"}`); failure.Code != CodeUnknown {
		t.Error(failure)
	}
}

func TestAnswerOfAProxyIsToldApart(t *testing.T) {
	if failure := answerError(t, 502, "<html>"); failure.Reason != "foreign_answer" || failure.Retry != ErrorRetryLater {
		t.Error(failure)
	}
	if failure := answerError(t, 403, "{}"); failure.Code != CodePermissionDenied || failure.Retry != ErrorRetryContactOperator {
		t.Error(failure)
	}
	for _, failure := range []*Error{
		answerError(t, 200, "{}", "Content-Type", "text/html"), answerError(t, 302, `{"code":"unavailable"}`), answerError(t, 200, "{}", "Content-Encoding", "gzip"),
	} {
		if failure.Reason != "foreign_answer" {
			t.Error(failure)
		}
	}
	if failure := answerError(t, 429, "slow down", "Content-Type", "text/plain", "Retry-After", "3"); failure.RetryAfter == nil || *failure.RetryAfter != 3*time.Second {
		t.Error(failure)
	}
}

func TestRetryAfterIsSecondsOrADate(t *testing.T) {
	after := func(text string) *time.Duration {
		return answerError(t, 503, `{"code":"unavailable"}`, "Retry-After", text).RetryAfter
	}
	if got := after("2"); got == nil || *got != 2*time.Second {
		t.Error(got)
	}
	if got := after("Sun, 06 Nov 1994 08:49:37 GMT"); got == nil || *got != 0 {
		t.Error(got)
	}
	for _, text := range []string{"", "-1", "1.5", "1234567890", "tomorrow", "Sunday, 06-Nov-94 08:49:37 GMT"} {
		if got := after(text); got != nil {
			t.Error(text, *got)
		}
	}
}

func TestAnswerThatIsNotWhatTheMethodReturns(t *testing.T) {
	for _, body := range []string{"", "[]", "{", `{"a":1}x`, `"text"`, "{\"a\":\"\xff\"}", `{"a":` + strings.Repeat("[", 100) + strings.Repeat("]", 100) + "}"} {
		if failure := answerError(t, 200, body); failure.Reason != "undecodable_reply" || failure.Retry != ErrorRetryContactOperator {
			t.Error(body, failure)
		}
	}
}

func TestDelayAndLinkOfDetails(t *testing.T) {
	if delay := readRetryDelay([]byte(protoText(1, "\x08\x02\x10\x01"))); delay == nil || *delay != 2*time.Second+1 {
		t.Error(delay)
	}
	if delay := readRetryDelay([]byte(protoText(1, "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"))); delay != nil {
		t.Error(*delay)
	}
	for url, want := range map[string]string{"https://example.org/a": "https://example.org/a", "javascript:alert(1)": "", "https://example.org/a b": ""} {
		if link := readHelpLink([]byte(protoText(1, protoText(1, "see")+protoText(2, url)))); link != want {
			t.Error(url, link)
		}
	}
	if _, _, isOurs := readErrorInfo([]byte(protoText(1, "x") + protoText(2, "example.org"))); isOurs {
		t.Error("a reason of another domain is taken")
	}
}

func TestPageIsLinkedWhereAClientWasTold(t *testing.T) {
	server := newServer(t, nil, said(404, `{"code":"not_found"}`))
	client, _ := newTestClient(t, server.URL, WithDocumentation("https://docs.example.org/assay/"))
	_, err := client.WhoAmI(context.Background())
	if link := failureOf(t, err).Link; link != "https://docs.example.org/assay/docs/reference/http.md#errors" {
		t.Error(link)
	}
}

func FuzzErrorDetails(f *testing.F) {
	f.Add([]byte(protoText(1, "overloaded") + protoText(2, "assay")))
	f.Add([]byte("\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"))
	f.Fuzz(func(_ *testing.T, message []byte) {
		readErrorInfo(message)
		readRetryDelay(message)
		readHelpLink(message)
	})
}
