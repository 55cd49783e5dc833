import AssayCore
import AssayEncoding
import Crypto

/// Authenticator data before encoding: the WebAuthn structure with App Attest's values.
public struct AuthenticatorDataDraft: Hashable, Sendable {
    /// Present in an attestation and absent in an assertion.
    public struct Credential: Hashable, Sendable {
        /// 16 bytes.
        public var aaguid: [UInt8]
        /// The written length of the credential id; `nil` for its real length.
        public var statedLength: UInt16?
        /// The key id, 32 bytes.
        public var id: [UInt8]
        /// COSE_Key.
        public var publicKey: CBORMap
    }

    /// SHA-256 of the App ID.
    public var rpIDHash: [UInt8]
    /// 0x40 is AT, 0x80 is ED. Genuine devices set AT in assertions too, and mostly leave ED clear.
    public var flags: UInt8 = 0x40
    public var signCount: UInt32
    public var credential: Credential?
    /// The extensions map; `nil` before OS 27. For bytes that are not a map use `authenticatorBytes` of the changes.
    public var extensions: CBORMap?

    init(phone: VirtualPhone, signCount: UInt32) {
        rpIDHash = Self.rpIDHash(appID: phone.appID)
        self.signCount = signCount
        guard phone.reportsExtensions else { return }
        extensions = Self.extensions(category: phone.validationCategory, bundleVersion: phone.bundleVersion)
    }

    public static let bundleVersionKey = "apple_bundle_version_01"
    public static let validationCategoryKey = "apple_validation_category_01"

    /// The app's identifier in authenticator data.
    public static func rpIDHash(appID: String) -> [UInt8] { Array(SHA256.hash(data: Array(appID.utf8))) }

    /// An extensions map as OS 27 writes it.
    public static func extensions(category: UInt32, bundleVersion: String) -> CBORMap {
        var extensions = CBORMap()
        extensions.append(bundleVersionKey, CBORWriter.text(bundleVersion))
        extensions.append(validationCategoryKey, validationCategory(category))
        return extensions
    }

    /// A validation category as devices write it: a byte string of 4 bytes, little-endian.
    public static func validationCategory(_ category: UInt32) -> [UInt8] {
        CBORWriter.bytes(withUnsafeBytes(of: category.littleEndian) { Array($0) })
    }

    /// The COSE_Key of a P-256 point: {1: 2, 3: -7, -1: 1, -2: x, -3: y}, 77 bytes.
    public static func coseKey(point: [UInt8]) -> CBORMap {
        var map = CBORMap()
        map.append(1, CBORWriter.integer(2))
        map.append(3, CBORWriter.integer(-7))
        map.append(-1, CBORWriter.integer(1))
        map.append(-2, CBORWriter.bytes(Array(point.dropFirst().prefix(32))))
        map.append(-3, CBORWriter.bytes(Array(point.dropFirst(33))))
        return map
    }

    public var bytes: [UInt8] {
        var bytes = rpIDHash + [flags] + withUnsafeBytes(of: signCount.bigEndian) { Array($0) }
        if let credential {
            let length = credential.statedLength ?? UInt16(truncatingIfNeeded: credential.id.count)
            bytes += credential.aaguid
            bytes += [UInt8(length >> 8), UInt8(length & 0xFF)]
            bytes += credential.id
            bytes += credential.publicKey.bytes
        }
        return bytes + (extensions?.bytes ?? [])
    }
}
