package assay

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"strconv"
	"strings"
	"time"
)

const (
	// maxIdle is how many connections are kept that no call uses, and idleTimeout for how long.
	maxIdle     = 8
	idleTimeout = 60 * time.Second
	// maxHead is the longest head of an answer, in bytes.
	maxHead = 64 << 10
)

// exchanger sends requests to one address, over connections that it keeps open.
type exchanger struct {
	address   address
	transport *http.Transport
	maxAnswer int64
}

// httpRequest is a request of a call. Each try sends the same one, with what is left of the time-out.
type httpRequest struct {
	path   string
	header map[string]string
	body   []byte
	// Sent twice it does no harm.
	isRepeatable bool
}

func newExchanger(settings settings, dialer *dialer) *exchanger {
	return &exchanger{
		address:   settings.address,
		maxAnswer: settings.maxAnswerBytes,
		transport: &http.Transport{
			DialContext:            dialer.dial,
			DialTLSContext:         dialer.dialTLS,
			DisableCompression:     true,
			MaxIdleConns:           maxIdle,
			MaxIdleConnsPerHost:    maxIdle,
			IdleConnTimeout:        idleTimeout,
			MaxResponseHeaderBytes: maxHead,
		},
	}
}

// post sends a request, and waits for the whole answer. The context ends with the call's time-out, or when the caller gives it up.
func (e *exchanger) post(ctx context.Context, request httpRequest) (httpAnswer, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var used *connection
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(info httptrace.GotConnInfo) { used, _ = info.Conn.(*connection) }})
	message, err := http.NewRequestWithContext(ctx, http.MethodPost, e.address.base+request.path, bytes.NewReader(request.body))
	if err != nil {
		return httpAnswer{}, ownError("bad_request", err, "the request cannot be sent: %v", err)
	}
	for name, value := range request.header {
		message.Header.Set(name, value)
	}
	if request.isRepeatable {
		// Lets the transport send it again, at once and over another connection, if one that was kept open has ended meanwhile. The
		// field itself is not sent.
		message.Header["X-Idempotency-Key"] = nil
	}
	if deadline, has := ctx.Deadline(); has {
		left := time.Until(deadline)
		milliseconds := max(1, (left + time.Millisecond - 1).Milliseconds())
		message.Header.Set("Connect-Timeout-Ms", strconv.FormatInt(milliseconds, 10))
	}
	// Neither cookies nor redirects: those are a Client's of net/http.
	response, err := e.transport.RoundTrip(message)
	if err != nil {
		return httpAnswer{}, explain(ctx, used, err)
	}
	defer response.Body.Close()
	if response.ProtoMajor != 1 || response.ProtoMinor > 1 {
		return httpAnswer{}, ownError("protocol_broken", nil, "the server answers in %.20s", response.Proto)
	}
	answer := httpAnswer{status: response.StatusCode, header: response.Header}
	if response.StatusCode == http.StatusSwitchingProtocols {
		return answer, nil
	}
	if response.ContentLength <= e.maxAnswer {
		answer.body, err = io.ReadAll(io.LimitReader(response.Body, e.maxAnswer+1))
	}
	if response.ContentLength > e.maxAnswer || int64(len(answer.body)) > e.maxAnswer {
		failure := ownError("reply_too_large", nil, "the answer has more than %d bytes", e.maxAnswer)
		failure.HTTPStatus = response.StatusCode
		return httpAnswer{}, failure
	}
	if err != nil {
		return httpAnswer{}, explain(ctx, used, err)
	}
	return answer, nil
}

// explain is what an error of the transport is to the call; used is nil if there was no connection yet.
func explain(ctx context.Context, used *connection, err error) *Error {
	var own *Error
	var network net.Error
	var operation *net.OpError
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return timedOut(err)
	case ctx.Err() != nil:
		return ownError("cancelled", ctx.Err(), "the caller gave the call up")
	case errors.As(err, &own):
		return own
	case errors.As(err, &operation) && operation.Op == "remote error":
		// With TLS 1.3 the server refuses a client's certificate after the client has sent its request.
		return ownError("tls_failed", err, "the server ended the TLS connection: %v", err)
	case used != nil && used.hasEnded.Load(), errors.As(err, &network), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF),
		strings.Contains(err.Error(), "server closed idle connection"):
		return ownError("connection_lost", err, "the connection ended before the answer was whole; whether the call was done is unknown: %v", err)
	}
	return ownError("protocol_broken", err, "the server does not answer in HTTP; is this the port of the framed protocol? %v", err)
}

func timedOut(cause error) *Error {
	return ownError("timeout", cause, "the time-out of the call passed")
}
