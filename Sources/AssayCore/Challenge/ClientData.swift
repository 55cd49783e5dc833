import Crypto

/// What a device signs: 93 bytes, always.
///
///     "assay1" (6) ‖ purpose (1) ‖ challenge (54) ‖ SHA-256(payload), or 32 zero bytes
///
/// The purpose byte is written by the app's own SDK, so that bytes made for one purpose serve no other.
public struct ClientData: Hashable, Sendable {
    public static let length = 93
    static let tag = Array("assay1".utf8)

    public let purpose: Purpose
    /// 54 bytes, as issued.
    public let challenge: [UInt8]
    /// 32 bytes, or `nil` if no payload is bound.
    public let payloadHash: [UInt8]?

    /// Client data over a payload by its SHA-256. `nil` unless the challenge has 54 bytes and the hash, if given, 32 bytes that
    /// are not all zero: zeros mean that no payload is bound.
    public init?(purpose: Purpose, challenge: [UInt8], payloadHash: [UInt8]? = nil) {
        guard challenge.count == Challenge.length else { return nil }
        if let payloadHash {
            guard payloadHash.count == 32, payloadHash.contains(where: { $0 != 0 }) else { return nil }
        }
        (self.purpose, self.challenge, self.payloadHash) = (purpose, challenge, payloadHash)
    }

    /// Reads the 93 bytes; `nil` for others.
    package init?(parsing bytes: [UInt8]) {
        guard bytes.count == Self.length, bytes.starts(with: Self.tag), let purpose = Purpose(rawValue: bytes[Self.tag.count])
        else { return nil }
        let payloadHash = Array(bytes.suffix(32))
        self.init(
            purpose: purpose, challenge: Array(bytes.dropFirst(Self.tag.count + 1).prefix(Challenge.length)),
            payloadHash: payloadHash.contains { $0 != 0 } ? payloadHash : nil)
    }

    /// Client data over a payload.
    public init?(purpose: Purpose, challenge: [UInt8], payload: [UInt8]) {
        self.init(purpose: purpose, challenge: challenge, payloadHash: Self.payloadHash(payload))
    }

    /// SHA-256 of a payload, as contained in client data.
    public static func payloadHash(_ payload: [UInt8]) -> [UInt8] { SHA256.bytes(of: payload) }

    public var bytes: [UInt8] {
        var bytes = Self.tag
        bytes.reserveCapacity(Self.length)
        bytes.append(purpose.rawValue)
        bytes += challenge
        bytes += payloadHash ?? [UInt8](repeating: 0, count: 32)
        return bytes
    }

    /// SHA-256 of the bytes: App Attest's `clientDataHash`.
    public var hash: [UInt8] { SHA256.bytes(of: bytes) }
}
