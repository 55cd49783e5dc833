/// What an app demands of the bits that Apple keeps for a device. Their meaning is the developer's; all apps of a team share them.
package struct DeviceCheckPolicy: Hashable, Sendable {
    package enum Bit: String, CaseIterable, Hashable, Sendable { case bit0, bit1 }

    /// Devices are refused on which one of these is set.
    package var refusedBits: Set<Bit>
    /// How long a token is remembered once it was accepted, in milliseconds. Apple does not say how long a token is good: a
    /// device can make a new one at any time, and has no reason to show one twice.
    package var spendsTokenFor: Int64

    /// A day. Tokens are reported to be good for less than a minute.
    package static let usualMemory: Int64 = 86_400_000

    package init(refusedBits: Set<Bit> = [], spendsTokenFor: Int64 = usualMemory) {
        (self.refusedBits, self.spendsTokenFor) = (refusedBits, spendsTokenFor)
    }
}
