import AssayCore
import AssayEncoding

/// The extensions that OS 27 and later append to authenticator data: one CBOR map with text keys, signed like the rest.
struct AuthenticatorExtensions {
    /// False up to OS 26: nothing follows the fixed part.
    let isPresent: Bool
    /// False if the app may have written the map itself (`ExtensionAttribution`). Unattributed extensions are never claimed and
    /// count only against the app.
    private(set) var isAttributed: Bool
    /// All keys, known or not, in the order of their names.
    let keys: [String]
    /// How the running executable was validated: an integer, or four bytes little-endian, as devices encode it.
    let validationCategory: UInt32?
    let bundleVersion: String?
    /// Code directory hash of the executable, only with an opt-in entitlement; undocumented.
    let cdHash: ArraySlice<UInt8>?

    /// Those of a device that says nothing now.
    static let absent = AuthenticatorExtensions()

    private init() {
        (isPresent, isAttributed, keys) = (false, false, [])
        (validationCategory, bundleVersion, cdHash) = (nil, nil, nil)
    }

    /// - Parameter isDeclared: the ED flag. If it is set, the map is the system's and must be present.
    init(parsing bytes: ArraySlice<UInt8>, isDeclared: Bool) throws(Rejection) {
        isAttributed = isDeclared
        guard !bytes.isEmpty else {
            guard !isDeclared else { throw Rejection(.malformedAuthData, "extensions are declared but absent") }
            (isPresent, keys, validationCategory, bundleVersion, cdHash) = (false, [], nil, nil, nil)
            return
        }
        var keys: [String] = []
        keys.reserveCapacity(4)
        var (category, shortCategory): (UInt32?, UInt32?)
        var (version, shortVersion): (String?, String?)
        var cdHash: ArraySlice<UInt8>?
        try CBORReader.parse(bytes, code: .malformedAuthData).pairs("the extensions") { (key, value) throws(Rejection) in
            let name = try key.textBytes("an extension's name")
            // The known names are literals, so that nothing is allocated for them.
            if name.spells("apple_validation_category_01") {
                keys.append("apple_validation_category_01")
                category = try Self.category(value)
            } else if name.spells("apple_bundle_version_01") {
                keys.append("apple_bundle_version_01")
                version = try value.text("the bundle version")
            } else if name.spells("validationCategory") {
                keys.append("validationCategory")
                shortCategory = try Self.category(value)
            } else if name.spells("bundleVersion") {
                keys.append("bundleVersion")
                shortVersion = try value.text("the bundle version")
            } else if name.spells("apple_cd_hash_hash_01") {
                keys.append("apple_cd_hash_hash_01")
                // Undocumented, so another type is not rejected.
                if value.kind == .byteString { cdHash = value.content }
            } else {
                keys.append(String(decoding: name, as: UTF8.self))
            }
        }
        keys.sort()
        isPresent = true
        self.keys = keys
        // Apple's assertion steps use the short names, devices the long ones.
        validationCategory = category ?? shortCategory
        bundleVersion = version ?? shortVersion
        self.cdHash = cdHash
    }

    private static func category(_ value: CBORItem) throws(Rejection) -> UInt32 {
        switch value.kind {
        case .unsigned:
            if let category = UInt32(exactly: value.argument) { return category }
        case .byteString:
            if value.content.count == 4 { return value.content.reversed().reduce(0) { $0 << 8 | UInt32($1) } }
        default: break
        }
        throw Rejection(.malformedAuthData, "the validation category is neither an integer of 32 bits nor four bytes")
    }

    /// The same map, attributed to the system.
    var attributed: AuthenticatorExtensions {
        var copy = self
        copy.isAttributed = true
        return copy
    }

    /// Claims the system's extensions, and notes unattributed ones.
    ///
    /// - Parameter unvouched: why only the flag could attribute the map to the system.
    func report(unvouched: @autoclosure () -> String, in appraisal: inout Appraisal) {
        guard isAttributed || !isPresent else {
            appraisal.claims.add("extensions_present", .boolean(false))
            appraisal.note(
                "extensions", "extensions_unattributed",
                "the ED flag is clear and \(unvouched()): the app may have written the extensions itself")
            return
        }
        appraisal.claims.add("extensions_present", .boolean(isPresent))
        appraisal.claims.add("extension_keys", .texts(keys))
        appraisal.claims.add("validation_category", validationCategory.map { .integer(Int64($0)) })
        appraisal.claims.add("bundle_version", bundleVersion.map { .text($0) })
        appraisal.claims.add("cd_hash", cdHash.map { .bytes(Array($0)) })
    }
}

/// How extensions after authenticator data are attributed to the system.
///
/// A client data hash has no fixed length, and the nonce is computed over authenticator data and hash without a separator: an
/// app can pass a map and the true hash as its "hash", and send the map as if the system had appended it.
package enum ExtensionAttribution: Hashable, Sendable {
    /// By the ED flag, which only the system writes; or, in an attestation, by a receipt in which Apple signed the expected
    /// hash, so that no byte of the map belongs to the hash. The daemon uses this.
    case vouched
    /// Always. Only for conformance: vectors state the content of a single object without its receipt or registration. No
    /// configuration of the daemon selects it.
    case presumed
}
