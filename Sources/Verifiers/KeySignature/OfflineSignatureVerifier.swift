package import AssayCore
import Crypto

/// Appraises a capture that a registered key signed while its device had no challenge. `docs/concepts/offline.md` has the signed bytes, and
/// `docs/reference/verifiers/key-signature.md` the checks in their order.
///
/// Like a certificate bundle it is a statement: the same one again is accepted again, marked `repeated`, until it is too old. When it was made is the
/// word of the device's clock.
package struct OfflineSignatureVerifier: EvidenceVerifier {
    package let format: EvidenceFormat = .offlineSignature
    package let purposes: Set<Purpose> = [.assert]
    /// Four lengths, the algorithm, the longest signature, the time, the payload's hash.
    package let sizeLimit: Int = 16 + 1 + KeySignatureVerifier.longestSignature + 8 + 32
    package let replayProtection: ReplayProtection = .statement

    private let app: AppID?
    private let judges: RegisteredKeyJudges

    /// How far the clocks of daemons may differ, in milliseconds: a statement is remembered so much longer than it can be accepted.
    private static let skew: Int64 = 300_000

    /// - Parameters:
    ///   - app: the app whose captures are signed; `nil` for tools.
    ///   - judges: the appraisers of the app's registered devices. Those without a rule for offline captures take none.
    package init(app: AppID?, judges: [any RegisteredDeviceAppraiser]) {
        (self.app, self.judges) = (app, RegisteredKeyJudges(judges))
    }

    /// The key id is sent beside the signature and is not authenticated until the signature is verified.
    package func locate(_ evidence: BoundedEvidence) throws(Rejection) -> Needs {
        let parts = try read(evidence)
        let longest = judges.all.compactMap { $0.offline?.maxAge }.max() ?? 0
        return Needs(
            deviceKeyID: evidence.keyID, revocation: true,
            statement: Needs.Statement(
                digest: statement(parts.capture, of: evidence.keyID),
                lifetime: .until(parts.capture.capturedAt.adding(milliseconds: longest + Self.skew))))
    }

    /// The key and what it signed. Anyone can derive a second signature from an ECDSA signature, so the signature is no part of it.
    private func statement(_ capture: OfflineCapture, of keyID: [UInt8]) -> [UInt8] {
        var digest = FieldDigest("assay.offline-signature.v1")
        digest.append(keyID)
        digest.append(UInt64(bitPattern: capture.capturedAt.unixMilliseconds))
        digest.append(capture.payloadHash)
        return digest.finalize()
    }

    package func appraise(
        _ evidence: BoundedEvidence, in context: AppraisalContext, _ appraisal: inout Appraisal
    ) throws(Rejection) {
        let parts = try appraisal.check("statement_form") { () throws(Rejection) in try read(evidence) }
        let algorithm = try appraisal.check("signature_form") { () throws(Rejection) in
            guard let algorithm = KeySignatureAlgorithm(rawValue: parts.algorithm) else {
                throw Rejection(.unsupportedAlgorithm, "signature algorithm \(parts.algorithm)")
            }
            return algorithm
        }
        let (device, judge) = try judges.device(of: evidence, context.facts.device, &appraisal)
        let rule = try appraisal.check("offline") { () throws(Rejection) in
            guard let rule = judge.offline else {
                throw Rejection(.offlineNotAllowed, "the app takes no captures that devices of this kind signed offline")
            }
            return rule
        }
        let key = try RegisteredKey.check(device.registration, algorithm, &appraisal)
        try appraisal.check("signature") { () throws(Rejection) in
            guard let app else { throw Rejection(.badSignature, "the signature covers the app, which is not known") }
            let signed = parts.capture.signedBytes(for: app)
            guard try key.isValid(parts.signature, by: algorithm, over: signed) else {
                throw Rejection(
                    .badSignature,
                    "the registered key did not sign this capture for this app: bytes whose SHA-256 is "
                        + Hex.short(SHA256.bytes(of: signed)))
            }
        }
        try appraisal.requireAllPassed()
        // From here on the capture is authenticated by the device's key.
        appraisal.claims.add("key_id", .bytes(device.registration.keyID))
        appraisal.claims.add("algorithm", .text(algorithm.name))
        appraisal.claims.add("captured_at", .time(parts.capture.capturedAt))
        try appraisal.check("timestamp") { () throws(Rejection) in try rule.check(parts.capture.capturedAt, at: context.now) }
        try judge.judge(device, in: context, &appraisal)
    }

    private func read(_ evidence: BoundedEvidence) throws(Rejection) -> OfflineCapture.Parts {
        guard let parts = evidence.parts.flatMap(OfflineCapture.Parts.init) else {
            throw Rejection(.malformed, "not an algorithm, a signature, a time and the hash of a payload")
        }
        guard parts.capture.namesPayload else {
            throw Rejection(
                .malformed,
                "the hash of the payload has \(parts.capture.payloadHash.count) bytes, want 32 that are not all zero")
        }
        return parts
    }
}
