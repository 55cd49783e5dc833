// Package assay calls assayd, which judges attestations of devices, over HTTP. It needs the standard library alone.
//
//	client, err := assay.New("https://assay.example.com", assay.WithAPIKey(key))
//	challenge, err := client.IssueChallenge(ctx, assay.IssueChallengeRequest{App: "photos", Purpose: assay.PurposeAssert})
//	// … the device signs it …
//	verdict, err := client.Verify(ctx, request)
//	if err == nil && verdict.Accepted() { … }
//
// A verdict that is REJECTED is an answer. Methods return an *Error if there is none, and retry where that is safe and may help.
package assay

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"regexp"
	"strings"

	"assay/internal/hook"
)

// Version is that of this package.
const Version = "0.1.0"

// Client is a client of a daemon. One serves a whole program, with any number of calls at a time; it keeps connections open until Close.
type Client struct {
	settings  settings
	exchanger *exchanger
	clock     hook.Clock
	// Ends when the client is closed.
	life context.Context
	end  context.CancelFunc
}

func init() {
	hook.SetClock = func(client any, clock hook.Clock) { client.(*Client).clock = clock }
	hook.ReadRequest = func(text []byte, into any) error {
		if err := (reader{isStrict: true}).readMessage(text, into); err != nil {
			return ownError("bad_request", err, "%v", err)
		}
		return nil
	}
}

// New makes a client of the daemon at `https://host[:port][/path]`, `http://host[:port][/path]` or `http+unix:/path/of/socket`. It connects
// for the first call. The error is `bad_option`, and its message names the option.
func New(url string, options ...Option) (*Client, error) {
	settings, err := newSettings(url, options)
	if err != nil {
		return nil, err
	}
	dialer, err := newDialer(settings)
	if err != nil {
		return nil, err
	}
	life, end := context.WithCancel(context.Background())
	return &Client{settings: settings, exchanger: newExchanger(settings, dialer), clock: hook.Real(), life: life, end: end}, nil
}

// Close ends the connections. Calls in flight fail, and so do further ones.
func (c *Client) Close() {
	c.end()
	c.exchanger.transport.CloseIdleConnections()
}

// IssueChallenge makes a challenge, for a device to answer.
func (c *Client) IssueChallenge(ctx context.Context, request IssueChallengeRequest, options ...CallOption) (*IssueChallengeResponse, error) {
	answer := &IssueChallengeResponse{}
	_, err := c.typed(ctx, method{"Attestation/IssueChallenge", repeatableAlways}, request, answer, options)
	return orNil(answer, err)
}

// Verify judges evidence. Under an idempotency key that the client made, Repeated is false: the caller has not had the verdict before. It
// stays true for evidence that is a statement of its own and was accepted before.
func (c *Client) Verify(ctx context.Context, request VerifyRequest, options ...CallOption) (*Verdict, error) {
	answer := &Verdict{}
	isOurKey, err := c.typed(ctx, method{"Attestation/Verify", repeatableWithKey}, request, answer, options)
	answer.clearRepeated(isOurKey)
	return orNil(answer, err)
}

// IssueCertificate issues a certificate to a device on evidence.
func (c *Client) IssueCertificate(ctx context.Context, request IssueCertificateRequest, options ...CallOption) (*IssueCertificateResponse, error) {
	answer := &IssueCertificateResponse{}
	isOurKey, err := c.typed(ctx, method{"Provisioning/Issue", repeatableWithKey}, request, answer, options)
	answer.Verdict.clearRepeated(isOurKey)
	return orNil(answer, err)
}

// ProvisionDevice provisions a device of a fleet. Its answer holds secrets.
func (c *Client) ProvisionDevice(ctx context.Context, request ProvisionDeviceRequest, options ...CallOption) (*ProvisionDeviceResponse, error) {
	answer := &ProvisionDeviceResponse{}
	isOurKey, err := c.typed(ctx, method{"Provisioning/ProvisionDevice", repeatableWithKey}, request, answer, options)
	// Without a CSR a repeated answer lacks the private key: then the caller has to know.
	if isOurKey && len(request.CSR) > 0 {
		answer.Repeated = false
	}
	return orNil(answer, err)
}

// GetDevice is a device with what is known of it.
func (c *Client) GetDevice(ctx context.Context, request GetDeviceRequest, options ...CallOption) (*Device, error) {
	answer := &Device{}
	_, err := c.typed(ctx, method{"Devices/Get", repeatableAlways}, request, answer, options)
	return orNil(answer, err)
}

// ListDevices is a page of an app's devices.
func (c *Client) ListDevices(ctx context.Context, request ListDevicesRequest, options ...CallOption) (*ListDevicesResponse, error) {
	answer := &ListDevicesResponse{}
	_, err := c.typed(ctx, method{"Devices/List", repeatableAlways}, request, answer, options)
	return orNil(answer, err)
}

// Block refuses a device, a subject or a key from now on.
func (c *Client) Block(ctx context.Context, request BlockRequest, options ...CallOption) (*BlockResponse, error) {
	answer := &BlockResponse{}
	_, err := c.typed(ctx, method{"Devices/Block", repeatableAlways}, request, answer, options)
	return orNil(answer, err)
}

// Unblock lifts a block. It is never repeated, since another block may have been set meanwhile.
func (c *Client) Unblock(ctx context.Context, request UnblockRequest, options ...CallOption) (*UnblockResponse, error) {
	answer := &UnblockResponse{}
	_, err := c.typed(ctx, method{"Devices/Unblock", repeatableNever}, request, answer, options)
	return orNil(answer, err)
}

// FindVerdicts finds the accepted verdicts on a file, by its SHA-256.
func (c *Client) FindVerdicts(ctx context.Context, request FindVerdictsRequest, options ...CallOption) (*FindVerdictsResponse, error) {
	answer := &FindVerdictsResponse{}
	_, err := c.typed(ctx, method{"Verdicts/Find", repeatableAlways}, request, answer, options)
	return orNil(answer, err)
}

// GetResultKeys is the public keys by which signed results are checked.
func (c *Client) GetResultKeys(ctx context.Context, request GetResultKeysRequest, options ...CallOption) (*GetResultKeysResponse, error) {
	answer := &GetResultKeysResponse{}
	_, err := c.typed(ctx, method{"Results/GetKeys", repeatableAlways}, request, answer, options)
	return orNil(answer, err)
}

// WhoAmI is what the daemon knows of this caller.
func (c *Client) WhoAmI(ctx context.Context, options ...CallOption) (*WhoAmIResponse, error) {
	answer := &WhoAmIResponse{}
	_, err := c.typed(ctx, method{"Operations/WhoAmI", repeatableAlways}, struct{}{}, answer, options)
	return orNil(answer, err)
}

var word = regexp.MustCompile(`^[A-Za-z0-9._]{1,256}$`)

// Call calls any method that answers once. The service is `Attestation`, or with its package `assay.v1.Attestation`; the message is what
// encoding/json writes as an object. It returns the answer's JSON.
func (c *Client) Call(ctx context.Context, service, method string, message any, options ...CallOption) (json.RawMessage, error) {
	return c.send(ctx, options, func(given callSettings) (httpRequest, error) {
		if !word.MatchString(service) || !word.MatchString(method) {
			return httpRequest{}, ownError("bad_request", nil, "service and method are words of A-Z a-z 0-9 . _")
		}
		body, err := json.Marshal(message)
		if err != nil {
			return httpRequest{}, ownError("bad_request", err, "the message cannot be written in JSON: %v", err)
		}
		var members map[string]json.RawMessage
		if json.Unmarshal(body, &members) != nil || members == nil {
			return httpRequest{}, ownError("bad_request", nil, "the message is not an object")
		}
		_, hasOne := members["idempotencyKey"]
		_, hasOther := members["idempotency_key"]
		if given.hasKey && (hasOne || hasOther) {
			return httpRequest{}, ownError("bad_request", nil, "the idempotency key is given twice: in the message, and beside it")
		}
		if !strings.Contains(service, ".") {
			service = "assay.v1." + service
		}
		isRepeatable := given.isIdempotent || given.hasKey || hasOne || hasOther
		return c.request("/"+service+"/"+method, body, given.idempotencyKey, isRepeatable), nil
	}, func(json.RawMessage) error { return nil })
}

// repeatable says whether a call may be sent again whose answer did not arrive.
type repeatable int

const (
	repeatableAlways repeatable = iota
	repeatableWithKey
	repeatableNever
)

type method struct {
	path       string
	repeatable repeatable
}

// typed makes a call of a method, and reads the answer. It returns whether the client made the idempotency key.
func (c *Client) typed(ctx context.Context, method method, request, answer any, options []CallOption) (bool, error) {
	isOurKey := false
	_, err := c.send(ctx, options, func(given callSettings) (httpRequest, error) {
		if given.isIdempotent || given.hasKey && method.repeatable != repeatableWithKey {
			return httpRequest{}, ownError("bad_request", nil, "an option of the call, the idempotency key or Idempotent, is not for this method")
		}
		key := given.idempotencyKey
		if method.repeatable == repeatableWithKey && !given.hasKey && c.settings.idempotencyKeys {
			isOurKey = true
			random := make([]byte, 16)
			if _, err := rand.Read(random); err != nil {
				return httpRequest{}, ownError("bad_request", err, "no random idempotency key can be made: %v", err)
			}
			key = hex.EncodeToString(random)
		}
		body, err := writeMessage(request)
		if err != nil {
			return httpRequest{}, ownError("bad_request", err, "the request cannot be written in JSON: %v", err)
		}
		return c.request("/assay.v1."+method.path, body, key, method.repeatable == repeatableAlways || key != ""), nil
	}, func(raw json.RawMessage) error { return reader{}.readMessage(raw, answer) })
	return isOurKey, err
}

func (c *Client) request(path string, body []byte, idempotencyKey string, isRepeatable bool) httpRequest {
	header := map[string]string{
		"Content-Type":    "application/json",
		"Accept":          "application/json",
		"Accept-Encoding": "identity",
		"User-Agent":      "assay-go/" + Version,
	}
	if c.settings.apiKey != nil {
		header["Authorization"] = "Bearer " + *c.settings.apiKey
	}
	if idempotencyKey != "" {
		header["Idempotency-Key"] = idempotencyKey
	}
	return httpRequest{path: path, header: header, body: body, isRepeatable: isRepeatable}
}

func orNil[Answer any](answer *Answer, err error) (*Answer, error) {
	if err != nil {
		return nil, err
	}
	return answer, nil
}
