import AssayEncoding

/// The state of the boot before encoding. The default is locked, and verified by a made-up key.
public struct RootOfTrustDraft: Hashable, Sendable {
    /// The digest of the key that verified the boot image: 32 bytes on genuine devices, zeros on unlocked ones.
    public var verifiedBootKey = [UInt8](repeating: 0x5A, count: 32)
    /// The content octet of the BOOLEAN: 0x00, 0xFF, or a value that a device wrongly writes.
    public var lockedOctet: UInt8 = 0xFF
    /// 0 Verified, 1 SelfSigned, 2 Unverified, 3 Failed; other numbers are undefined.
    public var verifiedBootState: UInt64 = 0
    /// `nil` for versions without it: before 3.
    public var verifiedBootHash: [UInt8]? = [UInt8](repeating: 0xA5, count: 32)

    public init() {}

    /// The state of a device with an unlocked bootloader.
    public static var unlocked: Self {
        var root = Self()
        root.isLocked = false
        root.verifiedBootState = 2
        root.verifiedBootKey = [UInt8](repeating: 0, count: 32)
        return root
    }

    /// The state of a locked device whose user installed another manufacturer's system, verified by that manufacturer's key.
    public static func selfSigned(key: [UInt8]) -> Self {
        var root = Self()
        root.verifiedBootState = 1
        root.verifiedBootKey = key
        return root
    }

    public var isLocked: Bool {
        get { lockedOctet != 0 }
        set { lockedOctet = newValue ? 0xFF : 0 }
    }

    public var der: [UInt8] {
        DERWriter.sequence(
            [
                DERWriter.octetString(verifiedBootKey), DERWriter.boolean(octet: lockedOctet),
                DERWriter.enumerated(verifiedBootState),
            ] + (verifiedBootHash.map { [DERWriter.octetString($0)] } ?? []))
    }
}
