package import AssayCore

/// Names devices to one audience, so that two audiences which compare what they have cannot find that a device is the same.
///
/// A name is HMAC-SHA256(secret, label ‖ u32 length and bytes of the audience ‖ device id), as base64url: 43 characters. The length keeps an
/// audience from being the beginning of another. The secret is the ledger's: with it every name can be computed, without it none.
package struct PairwiseIdentifier: Sendable {
    private static let label = "assay.pairwise.v1"

    /// With key, label and audience absorbed.
    private let mac: PreparedMAC

    /// - Parameter secret: 32 bytes.
    package init(secret: [UInt8], audience: String) {
        let length = withUnsafeBytes(of: UInt32(truncatingIfNeeded: audience.utf8.count).bigEndian) { Array($0) }
        mac = PreparedMAC(key: secret, prefix: Array(Self.label.utf8) + length + Array(audience.utf8))
    }

    package func name(of device: DeviceID) -> String { Base64.url.encode(mac.bytes(over: device.bytes)) }
}
