import AssayCore

/// Evidence of several kinds in one request, some of which is bound to a key that another piece attests.
extension VerificationCase {
    /// First what stands by itself; then, held against the key that was attested, what leans on one.
    func appraiseTogether(_ fresh: Freshness.Outcome, _ revocation: RevocationKnowledge) -> [Appraisal] {
        var appraisals: [Appraisal?] = pieces.map { piece in
            piece.verifier.leansOnAttestedKey ? nil : appraise(piece, bound: fresh.binding, revocation)
        }
        let attesting = appraisals.lazy.compactMap { $0 }.first { Self.attests($0) }
        for (index, piece) in pieces.enumerated() where appraisals[index] == nil {
            guard let attesting else {
                appraisals[index] = appraise(piece, bound: fresh.binding, revocation)
                continue
            }
            appraisals[index] = lean(piece, on: attesting, fresh, revocation)
        }
        return appraisals.compactMap { $0 }
    }

    /// Whether a piece attests a key, or was to.
    private static func attests(_ appraisal: Appraisal) -> Bool {
        if case .register = appraisal.effect { return true }
        return appraisal.attestedKey != nil || appraisal.failure != nil
    }

    /// What leans on an attested key binds that key's digest as the payload.
    private func lean(
        _ piece: Piece, on attesting: Appraisal, _ fresh: Freshness.Outcome, _ revocation: RevocationKnowledge
    ) -> Appraisal {
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
        return appraise(piece, bound: Binding(clientData), revocation, beside: key)
    }
}
