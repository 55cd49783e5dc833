package assay

import (
	"fmt"
	"strings"
	"time"
	"unicode"
)

// Code is one of Connect's names of gRPC's codes.
type Code string

const (
	CodeCanceled           Code = "canceled"
	CodeUnknown            Code = "unknown"
	CodeInvalidArgument    Code = "invalid_argument"
	CodeDeadlineExceeded   Code = "deadline_exceeded"
	CodeNotFound           Code = "not_found"
	CodeAlreadyExists      Code = "already_exists"
	CodePermissionDenied   Code = "permission_denied"
	CodeResourceExhausted  Code = "resource_exhausted"
	CodeFailedPrecondition Code = "failed_precondition"
	CodeAborted            Code = "aborted"
	CodeOutOfRange         Code = "out_of_range"
	CodeUnimplemented      Code = "unimplemented"
	CodeInternal           Code = "internal"
	CodeUnavailable        Code = "unavailable"
	CodeDataLoss           Code = "data_loss"
	CodeUnauthenticated    Code = "unauthenticated"
)

// ErrorRetry is what may help about an error. Daemons may have further words.
type ErrorRetry string

const (
	ErrorRetryNever           ErrorRetry = "never"
	ErrorRetryLater           ErrorRetry = "later"
	ErrorRetryContactOperator ErrorRetry = "contact_operator"
	ErrorRetryNewChallenge    ErrorRetry = "new_challenge"
	ErrorRetryReAttest        ErrorRetry = "re_attest"
)

// retryOfCode is what may help about an error that does not say it.
var retryOfCode = map[Code]ErrorRetry{
	CodeCanceled:           ErrorRetryLater,
	CodeUnknown:            ErrorRetryLater,
	CodeInvalidArgument:    ErrorRetryNever,
	CodeDeadlineExceeded:   ErrorRetryLater,
	CodeNotFound:           ErrorRetryNever,
	CodeAlreadyExists:      ErrorRetryNever,
	CodePermissionDenied:   ErrorRetryContactOperator,
	CodeResourceExhausted:  ErrorRetryLater,
	CodeFailedPrecondition: ErrorRetryContactOperator,
	CodeAborted:            ErrorRetryLater,
	CodeOutOfRange:         ErrorRetryNever,
	CodeUnimplemented:      ErrorRetryContactOperator,
	CodeInternal:           ErrorRetryContactOperator,
	CodeUnavailable:        ErrorRetryLater,
	CodeDataLoss:           ErrorRetryContactOperator,
	CodeUnauthenticated:    ErrorRetryContactOperator,
}

// maxMessage is the longest message of an error, in characters.
const maxMessage = 1000

// Error says why a call has no answer. A rejection is a verdict and no error. Methods of a Client return no other errors.
type Error struct {
	Code Code
	// The stable word; empty if the answer has none.
	Reason string
	// For people: at most 1000 characters, none of them a control character.
	Message string
	Retry   ErrorRetry
	// When trying again may help, from when the error was made; nil if that is not known.
	RetryAfter *time.Duration
	// Where the error is documented.
	Link string
	// Of the last answer; 0 without one.
	HTTPStatus int
	// How often the call was sent, or was to be sent.
	Attempts int

	cause error
}

func (e *Error) Error() string {
	name := string(e.Code)
	if e.Reason != "" {
		name = fmt.Sprintf("%s (%s)", e.Code, e.Reason)
	}
	return fmt.Sprintf("assay: %s: %s [retry: %s; see %s]", name, e.Message, e.Retry, e.Link)
}

// Unwrap is what the error comes from, such as context.Canceled or an error of the network; nil if there is none.
func (e *Error) Unwrap() error { return e.cause }

// WasNotBegun says that the call certainly reached no method.
func (e *Error) WasNotBegun() bool {
	switch e.Reason {
	case "connect_failed", "going_away", "too_many_calls", "overloaded", "body_timeout":
		return true
	}
	return false
}

// complete gives an error that an answer or the client states the forms and defaults that every error has.
func (e *Error) complete() *Error {
	if _, isKnown := retryOfCode[e.Code]; !isKnown {
		e.Code = CodeUnknown
	}
	if e.Retry == "" {
		e.Retry = retryOfCode[e.Code]
	}
	if e.Link == "" {
		e.Link = page(e.Reason)
	}
	e.Message = printable(e.Message)
	return e
}

// printable cuts a text, and leaves no control character in it: messages are shown in terminals and logs.
func printable(text string) string {
	var out strings.Builder
	count := 0
	for _, character := range text {
		if count == maxMessage {
			break
		}
		count++
		if unicode.IsControl(character) {
			character = ' '
		}
		out.WriteRune(character)
	}
	return out.String()
}

// ownErrors are those that a client makes itself, by their reason.
var ownErrors = map[string]struct {
	code  Code
	retry ErrorRetry
}{
	"bad_option":        {CodeInvalidArgument, ErrorRetryNever},
	"bad_request":       {CodeInvalidArgument, ErrorRetryNever},
	"connect_failed":    {CodeUnavailable, ErrorRetryLater},
	"tls_failed":        {CodeUnavailable, ErrorRetryContactOperator},
	"connection_lost":   {CodeUnavailable, ErrorRetryLater},
	"protocol_broken":   {CodeUnavailable, ErrorRetryLater},
	"timeout":           {CodeDeadlineExceeded, ErrorRetryLater},
	"cancelled":         {CodeCanceled, ErrorRetryNever},
	"foreign_answer":    {CodeUnknown, ErrorRetryContactOperator},
	"reply_too_large":   {CodeInternal, ErrorRetryContactOperator},
	"undecodable_reply": {CodeInternal, ErrorRetryContactOperator},
}

// ownError makes one of them; cause may be nil.
func ownError(reason string, cause error, format string, values ...any) *Error {
	kind := ownErrors[reason]
	failure := &Error{Code: kind.code, Reason: reason, Retry: kind.retry, Message: fmt.Sprintf(format, values...), cause: cause}
	return failure.complete()
}

// page is the page of the project's documentation that explains a reason.
func page(reason string) string {
	switch reason {
	case "permission_denied", "credential_refused":
		return "docs/operate/callers.md#when-it-does-not-work"
	case "overloaded", "rate_limited", "too_many_calls":
		return "docs/reference/configuration/limits.md"
	case "uploads_not_configured", "tamper_detected", "too_many_open_uploads":
		return "docs/reference/uploads.md#errors"
	}
	if strings.HasPrefix(reason, "upload_") || strings.HasPrefix(reason, "chunk_") {
		return "docs/reference/uploads.md#errors"
	}
	if _, isOwn := ownErrors[reason]; isOwn && reason != "cancelled" {
		return "clients/README.md#errors"
	}
	return "docs/reference/http.md#errors"
}
