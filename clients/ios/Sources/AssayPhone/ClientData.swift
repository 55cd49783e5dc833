import Foundation

/// What the phone signs, always 93 bytes: `"assay1" ‖ purpose ‖ challenge ‖ SHA-256(payload)`.
///
/// Apple's calls take the SHA-256 of these bytes as `clientDataHash`. The layout is that of docs/concepts/client-data.md.
struct ClientData {
    /// The purpose is written where the phone signs, and never taken from the challenge: a challenge of another purpose then yields
    /// a signature that serves nothing.
    enum Purpose: UInt8 {
        case register = 1
        case assert = 2
    }

    let bytes: Data

    /// - Parameter payloadHash: the 32 bytes SHA-256(payload).
    init(_ purpose: Purpose, _ challenge: Challenge, payloadHash: Data) {
        bytes = Data("assay1".utf8) + [purpose.rawValue] + challenge.bytes + payloadHash
    }
}
