package assay

import (
	"encoding/json"
	"fmt"
	"mime"
	"net/http"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"
)

// maxDetails is how many details of an error are looked at.
const maxDetails = 16

// httpAnswer is an answer of HTTP, whole.
type httpAnswer struct {
	status int
	header http.Header
	body   []byte
}

// message is the JSON that a method answers with, or the error that the answer is.
func (a httpAnswer) message() (json.RawMessage, error) {
	coding := strings.ToLower(strings.TrimSpace(a.header.Get("Content-Encoding")))
	isOurs := a.mediaType() == "application/json" && (coding == "" || coding == "identity")
	switch {
	case !isOurs || a.status < 200 || a.status > 200 && a.status < 400:
		return nil, a.foreign()
	case a.status != 200:
		return nil, a.failure()
	}
	if err := checkObject(a.body); err != nil {
		return nil, undecodable(err)
	}
	return a.body, nil
}

func (a httpAnswer) mediaType() string {
	name, _, _ := strings.Cut(a.header.Get("Content-Type"), ";")
	return strings.ToLower(strings.TrimSpace(name))
}

// checkObject says why a text is no object of JSON that is read here.
func checkObject(text []byte) error {
	switch {
	case !utf8.Valid(text):
		return fmt.Errorf("it is not UTF-8")
	case depthOf(text) > maxDepth:
		return fmt.Errorf("it has more than %d levels", maxDepth)
	case !json.Valid(text):
		return fmt.Errorf("its JSON is broken")
	case !strings.HasPrefix(strings.TrimLeft(string(text), " \t\r\n"), "{"):
		return fmt.Errorf("it is no object")
	}
	return nil
}

func undecodable(err error) *Error {
	failure := ownError("undecodable_reply", err, "the answer is not what the method returns: %v", err)
	failure.HTTPStatus = http.StatusOK
	return failure
}

// failure is the error that the daemon answered.
func (a httpAnswer) failure() *Error {
	if checkObject(a.body) != nil {
		return a.foreign()
	}
	var said map[string]json.RawMessage
	if json.Unmarshal(a.body, &said) != nil {
		return a.foreign()
	}
	code, isText := textOf(said["code"])
	if !isText {
		return a.foreign()
	}
	message, _ := textOf(said["message"])
	failure := &Error{Code: Code(code), Message: message, HTTPStatus: a.status}
	var details []json.RawMessage
	if json.Unmarshal(said["details"], &details) == nil {
		for _, detail := range details[:min(len(details), maxDetails)] {
			failure.readDetail(detail)
		}
	}
	if failure.RetryAfter == nil {
		failure.RetryAfter = a.retryAfter()
	}
	return failure.complete()
}

// readDetail takes what a detail says; one that cannot be read says nothing.
func (e *Error) readDetail(text json.RawMessage) {
	var detail map[string]json.RawMessage
	if json.Unmarshal(text, &detail) != nil {
		return
	}
	kind, _ := textOf(detail["type"])
	encoded, isText := textOf(detail["value"])
	message, err := fromBase64(encoded)
	if !isText || err != nil {
		return
	}
	switch kind {
	case "google.rpc.ErrorInfo":
		if reason, retry, isOurs := readErrorInfo(message); isOurs {
			e.Reason, e.Retry = reason, ErrorRetry(retry)
		}
	case "google.rpc.RetryInfo":
		if delay := readRetryDelay(message); delay != nil {
			e.RetryAfter = delay
		}
	case "google.rpc.Help":
		if e.Link == "" {
			e.Link = readHelpLink(message)
		}
	}
}

// foreign is the error of an answer that another server or a proxy gave.
func (a httpAnswer) foreign() *Error {
	kind, _, err := mime.ParseMediaType(a.header.Get("Content-Type"))
	if err != nil {
		kind = "no content type"
	}
	failure := ownError("foreign_answer", nil, "the answer (status %d, %.64s) is none of the daemon's: another server or a proxy gave it", a.status, kind)
	failure.HTTPStatus, failure.RetryAfter = a.status, a.retryAfter()
	switch a.status {
	case 401:
		failure.Code = CodeUnauthenticated
	case 403:
		failure.Code = CodePermissionDenied
	case 404:
		failure.Code = CodeUnimplemented
	case 408, 429, 502, 503, 504:
		failure.Code, failure.Retry = CodeUnavailable, ErrorRetryLater
	}
	return failure
}

var retryAfterSeconds = regexp.MustCompile(`^[0-9]{1,9}$`)

// retryAfter is the time of the header field, which has seconds, or the date in the form that is written today (RFC 9110 §5.6.7).
func (a httpAnswer) retryAfter() *time.Duration {
	text := a.header.Get("Retry-After")
	if retryAfterSeconds.MatchString(text) {
		seconds, err := time.ParseDuration(text + "s")
		if err != nil {
			return nil
		}
		return &seconds
	}
	then, err := time.Parse(http.TimeFormat, text)
	if err != nil {
		return nil
	}
	delay := max(0, time.Until(then))
	return &delay
}
