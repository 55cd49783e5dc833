import AssayCore
import AssayEncoding

/// From the token to its payload: with the app's keys, or by Google's service. `docs/reference/verifiers/play-integrity.md` has the
/// numbers of the checks.
extension PlayIntegrityVerifier {
    /// `nil` if the payload is unavailable now; the appraisal then has the finding.
    func open(
        _ evidence: BoundedEvidence, _ answer: OutsideAnswer?, _ appraisal: inout Appraisal
    ) throws(Rejection) -> PlayPayload? {
        if decoding != .local, let answer { return try read(answer, &appraisal) }
        guard decoding != .google else {
            appraisal.unavailable(
                "vendor", "vendor_not_asked", "only Google's service opens the app's tokens, and it was not asked")
            return nil
        }
        return try openLocally(evidence.body[...], &appraisal)
    }

    /// P1 to P6: the app's keys, newest first. Decryption precedes the signature, because the signed token is what was
    /// encrypted.
    private func openLocally(_ token: ArraySlice<UInt8>, _ appraisal: inout Appraisal) throws(Rejection) -> PlayPayload {
        let sealed = try appraisal.check("token") { () throws(Rejection) in
            try orByGoogle { () throws(Rejection) in try CompactJWE(parsing: token) }
        }
        try appraisal.check("algorithm") { () throws(Rejection) in
            try orByGoogle { () throws(Rejection) in try Self.requireAlgorithms(of: sealed) }
        }
        try appraisal.requireAllPassed()
        let (plaintext, keySet, age) = try appraisal.check("decryption") { () throws(Rejection) in try decrypt(sealed) }
        if age > 0 {
            appraisal.note("decryption", "older_key", "key set \(age + 1) of the list opens the token, not the newest")
        }
        let signed = try appraisal.check("signed_token") { () throws(Rejection) in try CompactJWS(parsing: plaintext[...]) }
        try appraisal.check("signed_algorithm") { () throws(Rejection) in try signed.header.require("ES256") }
        // Both keys belong to one pair: a sender that can encrypt to it but not sign is not Google.
        try appraisal.require(
            "signature", keySet.verifies(signed), else: .badSignature, "the token is not signed by Google")
        try appraisal.requireAllPassed()
        let payload = try appraisal.check("payload") { () throws(Rejection) in
            try PlayPayload(JSONFields(parsing: signed.payload[...], code: .malformedToken))
        }
        appraisal.claims.add("decoded_by", .text("local"))
        return payload
    }

    /// P1: the answer of Google's service about the token. Only the TLS connection authenticates it.
    private func read(_ answer: OutsideAnswer, _ appraisal: inout Appraisal) throws(Rejection) -> PlayPayload? {
        switch answer {
        case .unavailable(let why):
            appraisal.unavailable("vendor", "vendor_unavailable", why)
            return nil
        case .refused(let rejection):
            try appraisal.check("vendor") { () throws(Rejection) in throw rejection }
            return nil
        case .stated:
            appraisal.unavailable("vendor", "vendor_answer_malformed", "Google's answer cannot be read: it is no JSON text")
            return nil
        case .answered(let answer):
            let payload: PlayPayload
            do throws(Rejection) {
                payload = try Self.payload(answer: answer)
            } catch {
                // A fault of the service, not of the device.
                appraisal.unavailable("vendor", "vendor_answer_malformed", "Google's answer cannot be read: \(error.detail)")
                return nil
            }
            appraisal.findings.append(.pass("vendor"))
            appraisal.claims.add("decoded_by", .text("google"))
            return payload
        }
    }

    /// `{"tokenPayloadExternal": {…}}`.
    static func payload(answer: [UInt8]) throws(Rejection) -> PlayPayload {
        guard answer.count <= answerLimit else {
            throw Rejection(.malformedToken, "\(answer.count) bytes, limit \(answerLimit)")
        }
        let root = try JSONFields(parsing: answer[...], code: .malformedToken)
        return try PlayPayload(root.required("tokenPayloadExternal", root.section("tokenPayloadExternal")))
    }

    static func requireAlgorithms(of token: CompactJWE) throws(Rejection) {
        try token.header.require("A256KW", encryption: "A256GCM")
        try token.requireLengthsOfA256()
    }

    /// The result of the first key set that decrypts the token, and how many newer ones the list has.
    private func decrypt(_ token: CompactJWE) throws(Rejection) -> (plaintext: [UInt8], keySet: PlayKeySet, age: Int) {
        for (age, keySet) in keys.enumerated() {
            if let plaintext = keySet.open(token) { return (plaintext, keySet, age) }
        }
        return try orByGoogle { () throws(Rejection) in
            throw Rejection(
                .decryptionFailed,
                "no key of the app opens the token: it was changed, it is another app's, or its keys are not those configured")
        }
    }

    /// Adds to a rejection of a sealed token who opens the other kind. The token does not tell its kind: Google documents no form for that of
    /// a standard request.
    private func orByGoogle<T>(_ step: () throws(Rejection) -> T) throws(Rejection) -> T {
        do throws(Rejection) {
            return try step()
        } catch {
            guard decoding == .local, policy.kinds.contains(.standard) else { throw error }
            throw Rejection(
                error.code,
                error.detail
                    + "; a token of a standard request is opened by Google's service alone (mode google or local_then_google)",
                offset: error.offset)
        }
    }

    /// Whether one of the app's keys decrypts the token; says nothing about its origin.
    func opensLocally(_ token: CompactToken) -> Bool {
        guard case .encrypted(let sealed) = token, (try? Self.requireAlgorithms(of: sealed)) != nil else { return false }
        return keys.contains { $0.open(sealed) != nil }
    }

    /// Bytes that are not text are not a token, in both ways of decryption.
    func requireText(_ token: [UInt8]) throws(Rejection) {
        guard !token.isEmpty, token.withUnsafeBytes({ $0.isVisibleASCII(from: 0x21) }) else {
            throw Rejection(.malformedToken, "a token is a text of visible characters")
        }
    }
}
