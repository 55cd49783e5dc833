import AssayCore
import AssayEncoding

/// The state in which the device booted.
///
///     SEQUENCE { verifiedBootKey OCTET STRING, deviceLocked BOOLEAN, verifiedBootState ENUMERATED,
///                verifiedBootHash OCTET STRING -- from version 3 on -- }
package struct RootOfTrust: Hashable, Sendable {
    package enum BootState: Int, CaseIterable, Hashable, Sendable {
        /// Green: verified by the manufacturer's key.
        case verified = 0
        /// Yellow: verified by a key that the user installed, as with GrapheneOS.
        case selfSigned = 1
        /// Orange: not verified.
        case unverified = 2
        /// Red: verification failed.
        case failed = 3

        /// The name in claims.
        package var name: String {
            switch self {
            case .verified: "VERIFIED"
            case .selfSigned: "SELF_SIGNED"
            case .unverified: "UNVERIFIED"
            case .failed: "FAILED"
            }
        }

        package init?(name: String) {
            guard let state = Self.allCases.first(where: { $0.name == name }) else { return nil }
            self = state
        }
    }

    /// Digest of the key that verified the boot image: 32 bytes in practice, zeros on an unlocked device.
    package let bootKey: [UInt8]
    package let isLocked: Bool
    package let state: BootState
    /// Digest over everything that the boot verified; `nil` before version 3.
    package let bootHash: [UInt8]?

    init(bootKey: [UInt8], isLocked: Bool, state: BootState, bootHash: [UInt8]?) {
        (self.bootKey, self.isLocked, self.state, self.bootHash) = (bootKey, isLocked, state, bootHash)
    }

    init(_ reader: inout DERReader, _ notes: inout DescriptionReader) throws(Rejection) {
        var fields = DERReader(try reader.content(.sequence), code: reader.code)
        bootKey = try fields.field("verified_boot_key") { field throws(Rejection) in Array(try field.octetString()) }
        isLocked = try fields.field("device_locked") { field throws(Rejection) in try notes.boolean(&field) }
        state = try fields.field("verified_boot_state") { field throws(Rejection) in
            let number = try DescriptionReader.enumerated(&field)
            guard let state = BootState(rawValue: number) else { throw field.rejection("the state \(number), want 0 to 3") }
            return state
        }
        bootHash =
            fields.isAtEnd
            ? nil : try fields.field("verified_boot_hash") { field throws(Rejection) in Array(try field.octetString()) }
        try fields.finish("the root of trust")
    }
}
