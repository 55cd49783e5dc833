package assay

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"strings"
	"time"
)

const (
	// firstPause is the pause after the first try; each later one is twice as long, up to longestPause.
	firstPause   = time.Second
	longestPause = 30 * time.Second
	// jitter is a fifth in either direction, so that clients that failed together do not try again together.
	jitter = 0.2
)

// pauseAfter is the pause after a try, counted from 1. The daemon's own time, if there is one, is never shortened; chance is from 0 to 1.
func pauseAfter(attempt int, least *time.Duration, chance float64) time.Duration {
	doubled := float64(firstPause) * math.Pow(2, float64(min(attempt, 16)-1))
	pause := min(doubled, float64(longestPause)) * (1 + jitter*(2*chance-1))
	if least != nil {
		pause = max(pause, float64(*least)*(1+jitter*chance))
	}
	return time.Duration(min(pause, math.MaxInt64/2))
}

// send makes a request and tries until there is an answer, an error that another try does not help, no try left, or no time for one.
func (c *Client) send(
	ctx context.Context, options []CallOption, prepare func(callSettings) (httpRequest, error), read func(json.RawMessage) error,
) (json.RawMessage, error) {
	given := callSettings{timeout: c.settings.timeout}
	for _, option := range options {
		if err := option(&given); err != nil {
			return nil, c.told(err, 0)
		}
	}
	if c.life.Err() != nil {
		return nil, c.told(ownError("bad_request", nil, "the client was closed"), 0)
	}
	request, err := prepare(given)
	if err != nil {
		return nil, c.told(err, 0)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(c.life, cancel)()

	end := c.clock.Now().Add(given.timeout)
	for attempts := 1; ; attempts++ {
		answer, err := c.try(ctx, request, end.Sub(c.clock.Now()))
		if err == nil {
			if err := read(answer); err != nil {
				return nil, c.told(undecodable(err), attempts)
			}
			return answer, nil
		}
		var failure *Error
		if !errors.As(err, &failure) || failure.Retry != ErrorRetryLater || !request.isRepeatable && !failure.WasNotBegun() || attempts >= c.settings.tries {
			return nil, c.told(err, attempts)
		}
		pause := pauseAfter(attempts, failure.RetryAfter, c.clock.Chance())
		// A pause beyond the time-out would only delay the error.
		if left := end.Sub(c.clock.Now()); pause >= left || endsWithin(ctx, pause) {
			return nil, c.told(err, attempts)
		}
		if c.clock.Sleep(ctx, pause) != nil {
			return nil, c.told(explain(ctx, nil, ctx.Err()), attempts)
		}
	}
}

// endsWithin says whether the caller's own deadline is in a pause.
func endsWithin(ctx context.Context, pause time.Duration) bool {
	deadline, has := ctx.Deadline()
	return has && time.Until(deadline) <= pause
}

func (c *Client) try(ctx context.Context, request httpRequest, left time.Duration) (json.RawMessage, error) {
	if left <= 0 {
		return nil, timedOut(nil)
	}
	ctx, cancel := context.WithTimeout(ctx, left)
	defer cancel()
	answer, err := c.exchanger.post(ctx, request)
	if err != nil {
		return nil, err
	}
	return answer.message()
}

// told is an error as callers see it.
func (c *Client) told(err error, attempts int) error {
	var failure *Error
	if !errors.As(err, &failure) {
		return err
	}
	failure.Attempts = attempts
	if c.settings.documentation != nil && !strings.HasPrefix(failure.Link, "https://") {
		failure.Link = *c.settings.documentation + "/" + failure.Link
	}
	return failure
}
