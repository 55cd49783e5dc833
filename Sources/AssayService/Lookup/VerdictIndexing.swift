import AssayCore

/// Makes what the index keeps of accepted verdicts, for apps that have look-ups.
struct VerdictIndexing: Sendable {
    let keys: PayloadKeys

    /// One entry for each hash that the device signed; none for most requests.
    func entries(of decided: DecidedRequest) throws(StageError) -> [IndexedVerdict] {
        let admitted = decided.prepared.admitted
        // A request for a certificate is about no file.
        guard let rule = admitted.profile.lookup, admitted.step == nil else { return [] }
        let hashes = decided.signedHashes
        guard !hashes.isEmpty else { return [] }
        let (verdict, app) = (decided.verdict, admitted.request.app)
        let until = verdict.decidedAt.adding(milliseconds: rule.age)
        var found = decided.found
        var entries: [IndexedVerdict] = []
        for (hash, match) in hashes {
            found.match = match
            // The bundle itself names the image.
            if match == .image { found.limits.removeAll { $0 == .noPayload } }
            do {
                entries.append(
                    IndexedVerdict(
                        key: keys.name(of: hash, in: app), device: verdict.device, time: verdict.decidedAt, until: until,
                        content: try keys.seal(found.encoded(), under: hash, in: app)))
            } catch {
                throw .failed(.inconsistent("what look-ups find could not be sealed"))
            }
        }
        return entries
    }
}

extension DecidedRequest {
    /// What the device signed: the payload, the files that a signed document of signals names, and the image of a camera's bundle.
    fileprivate var signedHashes: [(hash: [UInt8], match: FoundVerdict.Match)] {
        var hashes: [(hash: [UInt8], match: FoundVerdict.Match)] = []
        if let payload = prepared.binding.payloadHash, prepared.isBound(appraisals) { hashes.append((payload, .payload)) }
        // Only a document that the signature covers is in the verdict.
        for media in verdict.confidence?.scene.document?.media ?? [] { hashes.append((media, .media)) }
        for appraisal in appraisals { if let image = appraisal.imageDigest { hashes.append((image, .image)) } }
        return hashes
    }

    fileprivate var found: FoundVerdict {
        FoundVerdict(
            requestID: verdict.requestID, decidedAt: verdict.decidedAt, purpose: prepared.admitted.request.purpose,
            assurance: assurance, formats: prepared.admitted.request.evidence.map(\.format),
            platform: prepared.platform(appraisals), match: .payload, simulated: verdict.simulated, limits: verdict.limits,
            capture: verdict.confidence.map(FoundVerdict.Capture.init))
    }
}
