/// Deviations from a genuine assertion, for tests of verifiers; combined like `AttestationChanges`. A change before `nonce` is
/// signed by the device's key; a later change is tampering.
public struct AssertionChanges: Sendable {
    public typealias Change<Part> = @Sendable (inout Part) -> Void

    /// The input of ECDSA.
    public enum Hashing: Hashable, Sendable {
        /// The nonce as a message, hashed once more: e = SHA-256(nonce). Real devices do this.
        case double
        /// The nonce as the digest: e = nonce. A common mistake of verifiers.
        case single
    }

    public static let genuine = AssertionChanges()

    var authenticatorData = EditList<AuthenticatorDataDraft>()
    var authenticatorBytes = EditList<[UInt8]>()
    var clientDataHash = EditList<[UInt8]>()
    var nonce = EditList<[UInt8]>()
    var hashing = Hashing.double
    var signer: TestSigningKey?
    var writeSignature: @Sendable (SignatureDraft) -> [UInt8] = { $0.der }
    var sentAuthenticatorBytes = EditList<[UInt8]>()
    var object = EditList<CBORMap>()
    var bytes = EditList<[UInt8]>()

    /// Fields of the authenticator data, signed.
    public func authenticatorData(_ change: @escaping Change<AuthenticatorDataDraft>) -> Self {
        with { $0.authenticatorData.add(change) }
    }

    /// The counter in place of the key's next one, signed. The key's own counter is not affected.
    public func counter(_ counter: UInt32) -> Self { authenticatorData { $0.signCount = counter } }

    /// The encoded authenticator data, signed: cuts, trailing bytes, extensions that are not a map.
    public func authenticatorBytes(_ change: @escaping Change<[UInt8]>) -> Self {
        with { $0.authenticatorBytes.add(change) }
    }

    /// The hash that goes into the nonce in place of the app's.
    public func clientDataHash(_ change: @escaping Change<[UInt8]>) -> Self { with { $0.clientDataHash.add(change) } }

    /// A forgery by an app that writes extensions itself: it passes a map and the true hash as its hash, and sends the map as
    /// if the system had appended it. The signature is genuine, and so are the flags.
    public func forgedExtensions(_ map: [UInt8]) -> Self {
        clientDataHash { $0 = map + $0 }.sentAuthenticatorBytes { $0 += map }
    }

    /// The 32 bytes that are signed.
    public func nonce(_ change: @escaping Change<[UInt8]>) -> Self { with { $0.nonce.add(change) } }

    public func hashing(_ hashing: Hashing) -> Self { with { $0.hashing = hashing } }

    /// Another key signs.
    public func signer(_ key: TestSigningKey) -> Self { with { $0.signer = key } }

    /// The encoding of the signature: `{ $0.raw }`, `{ $0.highS.der }`, `{ $0.der(leadingZeros: 1) }`, or any other.
    public func signature(_ write: @escaping @Sendable (SignatureDraft) -> [UInt8]) -> Self {
        with { $0.writeSignature = write }
    }

    /// The authenticator data as sent, changed after the signature was made.
    public func sentAuthenticatorBytes(_ change: @escaping Change<[UInt8]>) -> Self {
        with { $0.sentAuthenticatorBytes.add(change) }
    }

    /// The map: `signature`, `authenticatorData`.
    public func object(_ change: @escaping Change<CBORMap>) -> Self { with { $0.object.add(change) } }

    /// The encoded object.
    public func bytes(_ change: @escaping Change<[UInt8]>) -> Self { with { $0.bytes.add(change) } }

    private func with(_ edit: (inout Self) -> Void) -> Self {
        var copy = self
        edit(&copy)
        return copy
    }
}
