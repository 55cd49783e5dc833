// The driver of the conformance suite for Go (clients/conformance/README.md): a call for each line of standard input.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"assay"
	"assay/internal/hook"
)

type line struct {
	ID      json.RawMessage `json:"id"`
	Method  string          `json:"method"`
	Options options         `json:"options"`
	Request json.RawMessage `json:"request"`
}

// options are a line's: pointers tell what is left out.
type options struct {
	URL              string   `json:"url"`
	APIKey           *string  `json:"apiKey"`
	CAFile           *string  `json:"caFile"`
	CertificateFile  *string  `json:"certificateFile"`
	KeyFile          *string  `json:"keyFile"`
	TimeoutMs        *float64 `json:"timeoutMs"`
	ConnectTimeoutMs *float64 `json:"connectTimeoutMs"`
	Tries            *int     `json:"tries"`
	IdempotencyKeys  *bool    `json:"idempotencyKeys"`
	MaxAnswerBytes   *int64   `json:"maxAnswerBytes"`
	Documentation    *string  `json:"documentation"`

	Client         string   `json:"client"`
	FakeTime       bool     `json:"fakeTime"`
	Chance         *float64 `json:"chance"`
	CallTimeoutMs  *float64 `json:"callTimeoutMs"`
	IdempotencyKey *string  `json:"idempotencyKey"`
	Idempotent     bool     `json:"idempotent"`
}

// said is what is answered to a line.
type said struct {
	ID      json.RawMessage `json:"id"`
	Outcome any             `json:"outcome,omitempty"`
	Error   *failure        `json:"error,omitempty"`
	Waits   []float64       `json:"waits"`
	Broken  string          `json:"broken,omitempty"`
}

type failure struct {
	Code         assay.Code       `json:"code"`
	Reason       string           `json:"reason"`
	Message      string           `json:"message"`
	Retry        assay.ErrorRetry `json:"retry"`
	RetryAfterMs *int64           `json:"retryAfterMs"`
	Link         string           `json:"link"`
	HTTPStatus   int              `json:"httpStatus"`
	Attempts     int              `json:"attempts"`
}

// driver has the clients that several lines use, and what a line has waited for.
type driver struct {
	clients map[string]*assay.Client
	waits   []float64
	ahead   time.Duration
}

func main() {
	driver := driver{clients: map[string]*assay.Client{}}
	input := bufio.NewReaderSize(os.Stdin, 1<<20)
	output := json.NewEncoder(os.Stdout)
	for {
		text, err := input.ReadBytes('\n')
		if len(text) > 0 {
			if err := output.Encode(driver.answer(text)); err != nil {
				fmt.Fprintln(os.Stderr, "conformance-driver:", err)
				os.Exit(1)
			}
		}
		if err != nil {
			return
		}
	}
}

func (d *driver) answer(text []byte) said {
	var line line
	if err := json.Unmarshal(text, &line); err != nil {
		return said{ID: json.RawMessage("null"), Broken: err.Error()}
	}
	d.waits, d.ahead = []float64{}, 0
	outcome, err := d.call(line)
	answer := said{ID: line.ID, Outcome: outcome, Waits: d.waits}
	var failed *assay.Error
	switch {
	case err == nil:
	case errors.As(err, &failed):
		answer.Outcome = nil
		answer.Error = &failure{
			Code: failed.Code, Reason: failed.Reason, Message: failed.Message, Retry: failed.Retry, Link: failed.Link,
			HTTPStatus: failed.HTTPStatus, Attempts: failed.Attempts,
		}
		if failed.RetryAfter != nil {
			milliseconds := failed.RetryAfter.Milliseconds()
			answer.Error.RetryAfterMs = &milliseconds
		}
	default:
		return said{ID: line.ID, Broken: err.Error()}
	}
	return answer
}

func (d *driver) call(line line) (any, error) {
	client := d.clients[line.Options.Client]
	if client == nil {
		var err error
		if client, err = d.newClient(line.Options); err != nil {
			return nil, err
		}
		if line.Options.Client == "" {
			defer client.Close()
		} else {
			d.clients[line.Options.Client] = client
		}
	}
	call, isKnown := methods[line.Method]
	if !isKnown {
		return nil, fmt.Errorf("there is no method %s", line.Method)
	}
	return call(context.Background(), client, line.Request, line.Options.ofCall())
}

func (d *driver) newClient(o options) (*assay.Client, error) {
	client, err := assay.New(o.URL, o.ofClient()...)
	if err != nil {
		return nil, err
	}
	real := hook.Real()
	hook.SetClock(client, hook.Clock{
		Now: func() time.Time { return time.Now().Add(d.ahead) },
		Sleep: func(ctx context.Context, pause time.Duration) error {
			d.waits = append(d.waits, pause.Seconds())
			if !o.FakeTime {
				return real.Sleep(ctx, pause)
			}
			d.ahead += pause
			return nil
		},
		Chance: func() float64 {
			if o.Chance == nil {
				return 0.5
			}
			return *o.Chance
		},
	})
	return client, nil
}

func milliseconds(count float64) time.Duration {
	return time.Duration(count * float64(time.Millisecond))
}

func (o options) ofClient() []assay.Option {
	var given []assay.Option
	if o.APIKey != nil {
		given = append(given, assay.WithAPIKey(*o.APIKey))
	}
	if o.CAFile != nil {
		given = append(given, assay.WithCAFile(*o.CAFile))
	}
	if o.CertificateFile != nil || o.KeyFile != nil {
		given = append(given, assay.WithClientCertificate(textOf(o.CertificateFile), textOf(o.KeyFile)))
	}
	if o.TimeoutMs != nil {
		given = append(given, assay.WithTimeout(milliseconds(*o.TimeoutMs)))
	}
	if o.ConnectTimeoutMs != nil {
		given = append(given, assay.WithConnectTimeout(milliseconds(*o.ConnectTimeoutMs)))
	}
	if o.Tries != nil {
		given = append(given, assay.WithTries(*o.Tries))
	}
	if o.IdempotencyKeys != nil {
		given = append(given, assay.WithIdempotencyKeys(*o.IdempotencyKeys))
	}
	if o.MaxAnswerBytes != nil {
		given = append(given, assay.WithMaxAnswerBytes(*o.MaxAnswerBytes))
	}
	if o.Documentation != nil {
		given = append(given, assay.WithDocumentation(*o.Documentation))
	}
	return given
}

func (o options) ofCall() []assay.CallOption {
	var given []assay.CallOption
	if o.CallTimeoutMs != nil {
		given = append(given, assay.WithCallTimeout(milliseconds(*o.CallTimeoutMs)))
	}
	if o.IdempotencyKey != nil {
		given = append(given, assay.WithIdempotencyKey(*o.IdempotencyKey))
	}
	if o.Idempotent {
		given = append(given, assay.Idempotent())
	}
	return given
}

func textOf(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}
