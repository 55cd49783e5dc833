import AppAttest
import AssayCertificates
import AssayCore
import AssaySimulator
import Testing

/// One simulated attestation: its deviation from a genuine one, its expectation, and the outcome.
struct AttestationCase: Sendable, CustomTestStringConvertible {
    /// The row in the table of inputs that a verifier must refuse or accept.
    let row: Int
    let name: String
    /// `nil`: accepted.
    let code: ReasonCode?
    let changes: AttestationChanges
    var phone = Sample.phone()
    var identities = [Sample.identity()]
    /// Those of the phone's authority, unless the case replaces them.
    var anchors: [TrustAnchor]?
    var policy = AppAttestPolicy()
    var now = Sample.now
    var clientDataHash = Sample.clientDataHash
    /// The key id that is sent beside the object.
    var keyID: @Sendable ([UInt8]) -> [UInt8] = { $0 }

    init(
        _ row: Int, _ name: String, _ code: ReasonCode?, _ changes: AttestationChanges = .genuine,
        _ configure: (inout Self) -> Void = { _ in }
    ) {
        (self.row, self.name, self.code, self.changes) = (row, name, code, changes)
        configure(&self)
    }

    var testDescription: String { "\(row): \(name)" }

    func appraise() throws -> Appraisal {
        var phone = phone
        let key = phone.makeKey()
        let sample = try Sample.attest(key, changes: changes)
        let evidence = Evidence(format: sample.format, keyID: keyID(sample.keyID), body: sample.body)
        return try Sample.attestationVerifier(identities, anchors: anchors, policy: policy)
            .appraise(evidence, in: AppraisalContext(binding: Sample.binding(clientDataHash), now: now))
    }

    static let all = shapes + chains + certificates + bindings + authenticatorData + extensions + macs + genuine
}
