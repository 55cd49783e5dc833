import AssayCore

/// What the claims of a registration say that each assertion is judged by. They are read once for a registration.
final class RegisteredFacts: Sendable {
    /// SHA-256 of the App ID; `nil`: it was not registered by an App Attest attestation.
    let rpIDHash: [UInt8]?
    let platform: String?
    /// `nil`: the device reported none.
    let category: RegisteredCategory?
    /// Whether the receipt of the attestation was verified.
    let hasVerifiedReceipt: Bool

    init(_ claims: Claims) {
        rpIDHash = if case .bytes(let hash)? = claims["rp_id_hash"] { hash } else { nil }
        platform = claims.text("platform")
        hasVerifiedReceipt = claims[AppAttestAttestationVerifier.receiptVerified] == .boolean(true)
        category = RegisteredCategory(claims, hasVerifiedReceipt: hasVerifiedReceipt)
    }
}

extension Registration {
    var appAttestFacts: RegisteredFacts { facts { RegisteredFacts($0) } ?? RegisteredFacts(claims) }
}

/// The validation category of a device's registration.
struct RegisteredCategory {
    let number: UInt32
    /// Whether the attestation declared its extensions, or its receipt authenticates them. Older registrations do not state
    /// this directly; their flags and whether their receipt was verified imply it.
    let isVouched: Bool

    fileprivate init?(_ registered: Claims, hasVerifiedReceipt: Bool) {
        guard let number = registered.integer("validation_category").flatMap({ UInt32(exactly: $0) }) else { return nil }
        self.number = number
        let flags = registered.integer("flags").map { AuthenticatorData.Flags(rawValue: UInt8(truncatingIfNeeded: $0)) }
        isVouched = flags?.contains(.extensionData) == true || hasVerifiedReceipt
    }
}
