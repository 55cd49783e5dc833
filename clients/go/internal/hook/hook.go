// Package hook lets the conformance driver and tests reach what package assay does not show. Package assay sets its variables.
package hook

import (
	"context"
	"math/rand"
	"time"
)

// Clock is the time and the chance of a client. Time-outs of the network are always real.
type Clock struct {
	Now func() time.Time
	// Sleep returns the context's error if that ends first.
	Sleep func(ctx context.Context, pause time.Duration) error
	// Chance is a number from 0 to 1.
	Chance func() float64
}

// Real is the machine's.
func Real() Clock {
	return Clock{Now: time.Now, Sleep: sleep, Chance: rand.Float64}
}

func sleep(ctx context.Context, pause time.Duration) error {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

var (
	// SetClock gives a client (an *assay.Client, before its first call) another clock.
	SetClock func(client any, clock Clock)
	// ReadRequest reads a request in JSON into its type. Members that are not known are refused.
	ReadRequest func(text []byte, into any) error
)
