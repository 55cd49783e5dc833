package main

import (
	"context"
	"encoding/json"
	"strconv"

	"assay"
	"assay/internal/hook"
)

// object is an outcome, or a part of one.
type object map[string]any

type caller func(ctx context.Context, client *assay.Client, request json.RawMessage, options []assay.CallOption) (any, error)

var methods = map[string]caller{
	"issueChallenge": typed((*assay.Client).IssueChallenge, func(answer *assay.IssueChallengeResponse) object {
		return object{"challenge": bytes(answer.Challenge), "expiresAtUnixMs": digits(answer.ExpiresAtUnixMs)}
	}),
	"verify":           typed((*assay.Client).Verify, verdictSaid),
	"issueCertificate": typed((*assay.Client).IssueCertificate, certificateSaid),
	"provisionDevice":  typed((*assay.Client).ProvisionDevice, provisionedSaid),
	"getDevice":        typed((*assay.Client).GetDevice, func(answer *assay.Device) object { return deviceSaid(*answer) }),
	"listDevices": typed((*assay.Client).ListDevices, func(answer *assay.ListDevicesResponse) object {
		return object{"devices": each(answer.Devices, deviceSaid), "nextPageToken": bytes(answer.NextPageToken)}
	}),
	"block": typed((*assay.Client).Block, func(answer *assay.BlockResponse) object {
		return object{"devices": answer.Devices, "wasBlocked": answer.WasBlocked, "revokedCertificates": answer.RevokedCertificates}
	}),
	"unblock": typed((*assay.Client).Unblock, func(answer *assay.UnblockResponse) object {
		return object{"devices": answer.Devices, "wasBlocked": answer.WasBlocked, "stillBlocked": answer.StillBlocked}
	}),
	"findVerdicts": typed((*assay.Client).FindVerdicts, func(answer *assay.FindVerdictsResponse) object {
		return object{
			"found": answer.Found, "verdicts": each(answer.Verdicts, foundSaid), "truncated": answer.Truncated, "noteCode": answer.NoteCode,
			"results": each(answer.Results, signedSaid),
		}
	}),
	"getResultKeys": typed((*assay.Client).GetResultKeys, func(answer *assay.GetResultKeysResponse) object {
		return object{"issuer": answer.Issuer, "jwks": answer.JWKS}
	}),
	"whoAmI": func(ctx context.Context, client *assay.Client, _ json.RawMessage, options []assay.CallOption) (any, error) {
		answer, err := client.WhoAmI(ctx, options...)
		if err != nil {
			return nil, err
		}
		return object{
			"name": answer.Name, "recognisedBy": answer.RecognisedBy, "roles": texts(answer.Roles), "allApps": answer.AllApps,
			"apps": texts(answer.Apps),
		}, nil
	},
	"call": func(ctx context.Context, client *assay.Client, text json.RawMessage, options []assay.CallOption) (any, error) {
		var request struct {
			Service string          `json:"service"`
			Method  string          `json:"method"`
			Message json.RawMessage `json:"message"`
		}
		if err := json.Unmarshal(text, &request); err != nil {
			return nil, err
		}
		return client.Call(ctx, request.Service, request.Method, request.Message, options...)
	},
}

func typed[Request, Answer any](
	method func(*assay.Client, context.Context, Request, ...assay.CallOption) (*Answer, error), said func(*Answer) object,
) caller {
	return func(ctx context.Context, client *assay.Client, text json.RawMessage, options []assay.CallOption) (any, error) {
		var request Request
		if err := hook.ReadRequest(text, &request); err != nil {
			return nil, err
		}
		answer, err := method(client, ctx, request, options...)
		if err != nil {
			return nil, err
		}
		return said(answer), nil
	}
}

// bytes are never null in an outcome.
func bytes(value []byte) []byte { return append([]byte{}, value...) }

func digits(value int64) string { return strconv.FormatInt(value, 10) }

func texts(values []string) []string { return append([]string{}, values...) }

func each[Element any](elements []Element, said func(Element) object) []object {
	objects := make([]object, 0, len(elements))
	for _, element := range elements {
		objects = append(objects, said(element))
	}
	return objects
}

func allBytes(values [][]byte) [][]byte {
	all := [][]byte{}
	for _, value := range values {
		all = append(all, bytes(value))
	}
	return all
}

func verdictSaid(verdict *assay.Verdict) object {
	claims := object{}
	for _, claim := range verdict.Claims {
		claims[claim.Name] = claimSaid(claim)
	}
	wouldReject := ""
	if verdict.WouldReject != nil {
		wouldReject = verdict.WouldReject.Reason
	}
	return object{
		"accepted": verdict.Accepted(), "decision": verdict.Decision, "assurance": verdict.Assurance, "reason": verdict.Reason,
		"detail": verdict.Detail, "check": verdict.Check, "retry": verdict.Retry, "claims": claims, "deviceId": bytes(verdict.DeviceID),
		"requestId": bytes(verdict.RequestID), "simulated": verdict.Simulated, "repeated": verdict.Repeated,
		"decidedAtUnixMs": digits(verdict.DecidedAtUnixMs), "wouldReject": wouldReject,
		"findings": each(verdict.Findings, func(finding assay.Finding) object {
			return object{"check": finding.Check, "outcome": finding.Outcome, "code": finding.Code}
		}),
	}
}

func claimSaid(claim assay.Claim) any {
	switch {
	case claim.Text != nil:
		return *claim.Text
	case claim.Integer != nil:
		return digits(*claim.Integer)
	case claim.Boolean != nil:
		return *claim.Boolean
	case claim.Texts != nil:
		return texts(claim.Texts.Values)
	case claim.TimeUnixMs != nil:
		return digits(*claim.TimeUnixMs)
	}
	return bytes(claim.Bytes)
}

func certificateSaid(answer *assay.IssueCertificateResponse) object {
	said := object{"verdict": verdictSaid(&answer.Verdict), "certificate": "", "chain": allBytes(answer.Chain)}
	if answer.Certificate != nil {
		said["certificate"] = bytes(answer.Certificate.Certificate)
	}
	return said
}

func provisionedSaid(answer *assay.ProvisionDeviceResponse) object {
	tables := []int{}
	for _, table := range answer.KeyTables {
		tables = append(tables, len(table.Keys))
	}
	said := object{
		"provisioned": answer.Provisioned(), "deviceCertificate": bytes(answer.DeviceCertificate),
		"certificateChain": allBytes(answer.CertificateChain), "keyTables": tables, "keyTableIndices": append([]uint32{}, answer.KeyTableIndices...),
		"deviceSecret": bytes(answer.DeviceSecret), "devicePrivateKey": bytes(answer.DevicePrivateKey), "deviceId": bytes(answer.DeviceID),
		"repeated": answer.Repeated, "reason": "", "retry": "",
	}
	if answer.Rejection != nil {
		said["reason"], said["retry"] = answer.Rejection.Reason, answer.Rejection.Retry
	}
	return said
}

func deviceSaid(device assay.Device) object {
	return object{
		"deviceId": bytes(device.DeviceID), "app": device.App, "format": device.Format, "keyId": bytes(device.KeyID), "state": device.State,
		"counter": device.Counter, "registeredAtUnixMs": digits(device.RegisteredAtUnixMs), "simulated": device.Simulated,
		"blockReason": device.BlockReason,
	}
}

func signedSaid(result assay.SignedResult) object {
	text, problem := "", ""
	if result.Text != nil {
		text = *result.Text
	}
	if result.Problem != nil {
		problem = result.Problem.Code
	}
	return object{
		"shape": result.Shape, "audience": result.Audience, "text": text, "binary": bytes(result.Binary), "problem": problem,
		"expiresAtUnixMs": digits(result.ExpiresAtUnixMs),
	}
}

func foundSaid(verdict assay.FoundVerdict) object {
	return object{
		"requestId": bytes(verdict.RequestID), "decision": verdict.Decision, "decidedAtUnixMs": digits(verdict.DecidedAtUnixMs),
		"match": verdict.Match, "deviceState": verdict.DeviceState, "simulated": verdict.Simulated,
	}
}
