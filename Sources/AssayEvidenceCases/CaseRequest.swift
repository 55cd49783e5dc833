package import AssayCore

/// What a test asks for.
package struct CaseRequest: Sendable {
    /// The name of the case.
    package var name: String
    /// The name of a device; `nil`: the usual one of the case. A new name is a new device.
    package var device: String?
    /// Whose devices these are: a test that names a scope of its own shares no device with others.
    package var scope = ""
    /// The platform of a new device; `nil`: the first of the case.
    package var platform: CasePlatform?
    /// `nil`: the first of the case.
    package var purpose: Purpose?
    /// The challenge that the caller issued; `nil`: one is asked for here, under the context.
    package var challenge: [UInt8]?
    /// That of the caller's challenge.
    package var context: [UInt8] = []
    /// SHA-256 of what the device signs; `nil`: nothing is bound.
    package var payloadHash: [UInt8]?
    /// The account of the caller's request; empty: it names none.
    package var subject: [UInt8] = []
    /// Empty: the caller's request has none.
    package var idempotencyKey: [UInt8] = []
    /// The device that the caller's request expects.
    package var expectedDevice: DeviceID?

    package init(_ name: String) { self.name = name }
}

/// What a test gets.
package struct MadeEvidence: Sendable {
    /// The name of the device that signed.
    package let device: String
    package let platform: CasePlatform
    /// A complete request, with the evidence and the challenge that the device signed.
    package let request: VerificationRequest
    /// Why a daemon rejects it; `nil`: it accepts it.
    package let expected: ReasonCode?
    /// The members that the caller's request must have for this outcome.
    package let needs: Set<EvidenceCase.Need>
}
