import AssayCertificates
import AssayCore
import AssaySimulator
import Testing

@testable import AppAttest

/// One simulated receipt: its deviation from a genuine one, its expectation, and the outcome.
struct ReceiptCase: Sendable, CustomTestStringConvertible {
    /// The row in the table of inputs that a verifier must refuse or accept.
    let row: Int
    let name: String
    /// `nil`: accepted.
    let code: ReasonCode?
    let changes: ReceiptChanges
    var phone = Sample.phone()
    var kind = ReceiptDraft.Kind.attest
    /// False writes the bare public key in place of the credential certificate.
    var holdsCertificate = true
    var anchors: [TrustAnchor]?
    /// How long after its creation the receipt is appraised, in milliseconds; `nil`: as a stored one.
    var age: Int64? = 1000
    var expect: @Sendable (inout ReceiptExpectation) -> Void = { _ in }

    init(
        _ row: Int, _ name: String, _ code: ReasonCode?, _ changes: ReceiptChanges = .genuine,
        _ configure: (inout Self) -> Void = { _ in }
    ) {
        (self.row, self.name, self.code, self.changes) = (row, name, code, changes)
        configure(&self)
    }

    var testDescription: String { "\(row): \(name)" }

    func make() throws -> (receipt: [UInt8], expectation: ReceiptExpectation) {
        var phone = phone
        let key = phone.makeKey()
        let object = try AttestationObject(parsing: try Sample.attest(key).body[...])
        let receipt = try key.receipt(
            kind, leaf: holdsCertificate ? object.certificates.first.map { Array($0) } : nil,
            clientDataHash: Sample.clientDataHash, riskMetric: 3, at: Sample.now, changes: changes)
        var expectation = ReceiptExpectation(
            rpIDHash: Sample.identity().rpIDHash, publicKey: key.publicKey, kind: kind == .attest ? .attest : .receipt,
            environment: .production, clientDataHash: Sample.clientDataHash,
            maxAgeMilliseconds: ReceiptRule.usualAge)
        expect(&expectation)
        return (receipt, expectation)
    }

    func appraise() throws -> Appraisal {
        let (receipt, expectation) = try make()
        let moment = age.map { ReceiptMoment.arriving(Sample.now.adding(milliseconds: $0)) } ?? .stored
        return ReceiptVerifier(anchors: try anchors ?? Sample.anchors(), links: LinkCache())
            .appraise(receipt[...], against: expectation, moment)
    }

    static let all = genuine + messages + signers + contents + times
}
