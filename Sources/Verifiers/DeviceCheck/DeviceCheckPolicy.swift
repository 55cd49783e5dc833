package import AssayCore

/// An app's requirements on the bits that Apple keeps for a device. The developer defines their meaning; all apps of a team
/// share them.
package struct DeviceCheckPolicy: Hashable, Sendable {
    package enum Bit: String, CaseIterable, Hashable, Sendable { case bit0, bit1 }

    /// A device is refused if one of these is set.
    package var refusedBits: Set<Bit>
    /// How long an accepted token is kept, in milliseconds. Apple does not document how long a token is valid: a device can
    /// make a new one at any time, and has no reason to send one twice.
    package var spendsTokenFor: Int64

    /// A day. Tokens are reported to be valid for less than a minute.
    package static let usualMemory: Int64 = 86_400_000

    package init(refusedBits: Set<Bit> = [], spendsTokenFor: Int64 = usualMemory) {
        (self.refusedBits, self.spendsTokenFor) = (refusedBits, spendsTokenFor)
    }

    package func digest(into hash: inout FieldDigest) {
        hash.append(refusedBits.map(\.rawValue).sorted().joined(separator: ","))
        hash.append(UInt64(bitPattern: spendsTokenFor))
    }
}
