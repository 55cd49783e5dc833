package assay

// statementRepeated is the finding of evidence that is a statement of its own, and was accepted before.
const statementRepeated = "statement_repeated"

// Accepted says whether the decision is ACCEPTED: nothing else permits anything.
func (v *Verdict) Accepted() bool { return v != nil && v.Decision == DecisionAccepted }

// clearRepeated takes the mark away that the client's own retries cause: the caller has not had the verdict before.
func (v *Verdict) clearRepeated(isOurKey bool) {
	if !isOurKey {
		return
	}
	for _, finding := range v.Findings {
		if finding.Code == statementRepeated {
			return
		}
	}
	v.Repeated = false
}

// Provisioned says whether the device was provisioned: there is a certificate, and no rejection.
func (r *ProvisionDeviceResponse) Provisioned() bool {
	return r != nil && r.Rejection == nil && len(r.DeviceCertificate) > 0
}
