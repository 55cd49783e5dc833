/// What follows from flags of devices, for an app: the section `apps.<app>.device.flags`.
package struct DeviceFlagRule: Hashable, Sendable {
    /// The most names of one rule.
    package static let nameLimit = 32

    /// The names of flags, ascending, each once: a device on which one of them stands is refused.
    package let rejected: [String]

    package init(rejected: [String] = []) {
        self.rejected = Set(rejected).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    /// Refuses a device on which a rejected flag stands.
    package func check(_ device: Device, at now: Timestamp) throws(Rejection) {
        guard !rejected.isEmpty, !device.flags.isEmpty else { return }
        let found = device.flags.names(at: now).filter(rejected.contains)
        guard found.isEmpty else {
            throw Rejection(
                .deviceFlagged,
                "the device \(device.id) is flagged \(found.joined(separator: ", ")), which device.flags.reject names")
        }
    }

    /// Adds the rule to the policy if it rejects anything, so that the digests of policies from before it stay as they are.
    package func describe(in policy: inout PolicyText) {
        guard !rejected.isEmpty else { return }
        policy.mark("device-flags")
        policy.add("device.flags.reject", list: rejected)
    }
}
