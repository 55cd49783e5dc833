import AppAttest
import AssayCertificates
import AssayCore
import AssaySimulator
import Testing

/// One simulated assertion of a key registered by its attestation.
struct AssertionCase: Sendable, CustomTestStringConvertible {
    let row: Int
    let name: String
    let code: ReasonCode?
    let changes: AssertionChanges
    var phone = Sample.phone()
    /// When the key was registered.
    var identitiesThen = [Sample.identity()]
    /// When the assertion is appraised.
    var identities = [Sample.identity()]
    /// Those of the phone's authority, unless the case replaces them.
    var anchors: [TrustAnchor]?
    var policy = AppAttestPolicy(counterRule: .strictlyIncreasing)
    var clientDataHash = Sample.clientDataHash
    /// The last accepted counter; the key's next assertion has 1.
    var counter: UInt32 = 0
    /// The registry's record for the key.
    var found: @Sendable (Device) -> Device? = { $0 }

    init(
        _ row: Int, _ name: String, _ code: ReasonCode?, _ changes: AssertionChanges = .genuine,
        _ configure: (inout Self) -> Void = { _ in }
    ) {
        (self.row, self.name, self.code, self.changes) = (row, name, code, changes)
        configure(&self)
    }

    var testDescription: String { "\(row): \(name)" }

    func appraise() throws -> Appraisal {
        var phone = phone
        var key = phone.makeKey()
        let device = try Sample.device(try Sample.register(key, identities: identitiesThen), counter: counter)
        let evidence = try Sample.assert(&key, changes: changes)
        return try Sample.assertionVerifier(identities, anchors: anchors, policy: policy)
            .appraise(evidence, in: Sample.context(found(device), binding: Sample.binding(clientDataHash)))
    }

    static let all = shapes + devices + signatures + counters + today + extensions + genuine
}

extension Device {
    /// The device with a risk metric of the day before.
    func with(risk: Int64) -> Device {
        var copy = self
        copy.exchange.metric = RiskMetric(risk, at: Sample.now.adding(milliseconds: -86_400_000))
        return copy
    }
}

extension Registration {
    /// The registration with one value changed.
    func with(
        format: EvidenceFormat? = nil, keyID: [UInt8]? = nil, publicKey: [UInt8]? = nil, environment: String? = nil,
        imported: Bool = false, claims: ((inout [Claims.Claim]) -> Void)? = nil
    ) -> Registration {
        var list = self.claims.all
        claims?(&list)
        return Registration(
            format: format ?? self.format, keyID: keyID ?? self.keyID, publicKey: publicKey ?? self.publicKey,
            environment: environment ?? self.environment, anchor: anchor, claims: Claims(list), chainSerials: chainSerials,
            receipt: receipt, simulated: simulated, imported: imported)
    }
}
