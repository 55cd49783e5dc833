import AssayCore

/// Evidence of several kinds in one request, some of which is bound to a key that another piece attests.
extension VerificationCase {
    /// Appraises the pieces that are bound to the request alone, then those that are bound to the key that one of them attests.
    func appraiseTogether(_ fresh: Freshness.Outcome) -> [Appraisal] {
        var appraisals: [Appraisal?] = pieces.map { piece in
            piece.verifier.relation == .boundToAttestedKey ? nil : appraise(piece, bound: fresh.binding)
        }
        let attesting = appraisals.lazy.compactMap { $0 }.first { Self.attests($0) }
        for (index, piece) in pieces.enumerated() where appraisals[index] == nil {
            guard let attesting else {
                appraisals[index] = appraise(piece, bound: fresh.binding)
                continue
            }
            appraisals[index] = appraise(piece, boundTo: attesting, fresh)
        }
        return appraisals.compactMap { $0 }
    }

    /// Whether a piece attests a key, or failed and might have attested one.
    private static func attests(_ appraisal: Appraisal) -> Bool {
        if case .register = appraisal.effect { return true }
        return appraisal.attestedKey != nil || appraisal.failure != nil
    }

    /// The payload of a piece that is bound to an attested key is that key's digest.
    private func appraise(_ piece: Piece, boundTo attesting: Appraisal, _ fresh: Freshness.Outcome) -> Appraisal {
        guard attesting.failure == nil, let key = attesting.attestedKey else {
            var skipped = Appraisal(format: piece.evidence.format)
            skipped.isSupplement = true
            skipped.findings = [
                Finding(check: "evidence", outcome: .skipped, detail: "the key that it is to be bound to is not attested")
            ]
            return skipped
        }
        let request = admitted.request
        guard fresh.binding.mode == .clientData,
            let clientData = ClientData(
                purpose: request.purpose, challenge: request.challenge, payload: key.publicKeySHA256)
        else {
            return Appraisal.build(piece.evidence.format) { (appraisal) throws(Rejection) in
                try appraisal.require(
                    "binding", false, else: .bindingNotAllowed,
                    "evidence beside an attested key is bound by Assay's client data")
            }
        }
        return appraise(piece, bound: Binding(clientData), beside: key)
    }
}
