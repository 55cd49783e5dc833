import Crypto

/// A capture that a device signed while it had no challenge (`docs/concepts/offline.md`).
///
/// The device signs 87 bytes, always; numbers are big-endian:
///
///     "assay1-offline" (14) ‖ purpose (1), 2 for assert ‖ SHA-256(app id) (32)
///         ‖ captured_at (8), milliseconds since 1970, signed ‖ SHA-256(payload) (32)
///
/// They are the message of a key's signature, and with App Attest SHA-256 of them is the `clientDataHash`. No client data of Assay's own is equal to
/// them: that has 93 bytes, and a purpose where these have the hyphen.
public struct OfflineCapture: Hashable, Sendable {
    /// Of the signed bytes.
    public static let length = 87
    private static let tag = Array("assay1-offline".utf8)

    /// By the device's clock.
    public let capturedAt: Timestamp
    /// SHA-256 of the payload: 32 bytes in every capture that is accepted.
    public let payloadHash: [UInt8]

    public init(capturedAt: Timestamp, payloadHash: [UInt8]) {
        (self.capturedAt, self.payloadHash) = (capturedAt, payloadHash)
    }

    /// A capture of a payload.
    public init(capturedAt: Timestamp, payload: [UInt8]) {
        self.init(capturedAt: capturedAt, payloadHash: SHA256.bytes(of: payload))
    }

    /// What a device signs for an app.
    public func signedBytes(for app: AppID) -> [UInt8] {
        var bytes = Self.tag
        bytes.reserveCapacity(Self.length)
        bytes.append(Purpose.assert.rawValue)
        bytes += SHA256.bytes(of: Array(app.text.utf8))
        bytes += capturedAt.bigEndianBytes
        bytes += payloadHash
        return bytes
    }

    /// Evidence of the capture. Its parts: the algorithm's byte, the signature, the time in 8 bytes, the payload's hash.
    public func evidence(keyID: [UInt8], algorithm: UInt8, signature: [UInt8]) -> Evidence {
        Evidence(
            format: .offlineSignature, keyID: keyID,
            parts: [[algorithm], signature[...], capturedAt.bigEndianBytes[...], payloadHash[...]])
    }

    /// The parts of evidence of a capture. Nothing of them is verified.
    package struct Parts: Sendable {
        package let algorithm: UInt8
        package let signature: ArraySlice<UInt8>
        package let capture: OfflineCapture

        /// `nil` for other parts.
        package init?(_ parts: [ArraySlice<UInt8>]) {
            guard parts.count == 4, parts[0].count == 1, let algorithm = parts[0].first, parts[2].count == 8 else { return nil }
            (self.algorithm, signature) = (algorithm, parts[1])
            let time = Int64(bitPattern: parts[2].reduce(0) { $0 << 8 | UInt64($1) })
            capture = OfflineCapture(capturedAt: Timestamp(unixMilliseconds: time), payloadHash: Array(parts[3]))
        }
    }

    /// Whether a payload is named: 32 bytes that are not all zero, which stand for no payload wherever a device signs one.
    package var namesPayload: Bool { payloadHash.count == 32 && payloadHash.contains { $0 != 0 } }
}

extension Timestamp {
    fileprivate var bigEndianBytes: [UInt8] { withUnsafeBytes(of: unixMilliseconds.bigEndian) { Array($0) } }
}

/// How an app takes captures that were signed offline.
public struct OfflineRule: Hashable, Sendable {
    /// The greatest age of a capture, in milliseconds.
    public let maxAge: Int64
    /// How far the device's clock may be ahead, in milliseconds.
    public let maxFuture: Int64

    /// 5 minutes, as for certificate bundles.
    public static let usualFuture: Int64 = 300_000

    public init(maxAge: Int64, maxFuture: Int64 = Self.usualFuture) { (self.maxAge, self.maxFuture) = (maxAge, maxFuture) }

    /// Refuses a capture by its time, which is the word of the device's clock. Both ends are included.
    public func check(_ time: Timestamp, at now: Timestamp) throws(Rejection) {
        guard time <= now.adding(milliseconds: maxFuture) else {
            throw Rejection(
                .timestampInFuture,
                "the capture is of \(time), by the device's clock, now is \(now), at most \(DurationText.exact(maxFuture)) ahead"
            )
        }
        guard time >= now.adding(milliseconds: -maxAge) else {
            throw Rejection(
                .timestampTooOld,
                "the capture is of \(time), by the device's clock, now is \(now), at most \(DurationText.exact(maxAge)) old")
        }
    }
}
