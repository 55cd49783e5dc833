/// What the registry decides about the device that evidence names, before the evidence is judged: cheap, so it comes first. The daemon and
/// the examination of plugins go by it.
package struct DeviceAdmission: Sendable {
    /// The name of the check.
    package static let check = "registry"

    /// The device that the request names; `nil`: any.
    let expected: DeviceID?
    /// The keyed hash of the subject that the request names; `nil`: none.
    let subject: [UInt8]?
    let acceptsSimulated: Bool
    /// What the app's policy says of flags, and the time by which they stand; `nil`: nothing.
    let flags: (rule: DeviceFlagRule, now: Timestamp)?

    package init(
        expected: DeviceID? = nil, subject: [UInt8]? = nil, acceptsSimulated: Bool = true,
        flags: (rule: DeviceFlagRule, now: Timestamp)? = nil
    ) {
        (self.expected, self.subject, self.acceptsSimulated) = (expected, subject, acceptsSimulated)
        self.flags = flags
    }

    /// Refuses a registered device that the request may not use.
    package func check(_ device: Device) throws(Rejection) {
        guard !device.isBlocked else {
            throw Rejection(.deviceBlocked, "the device \(device.id) or its subject is blocked")
        }
        if let flags { try flags.rule.check(device, at: flags.now) }
        if let expected, expected != device.id {
            throw Rejection(.deviceMismatch, "the evidence is of \(device.id), the request expects \(expected)")
        }
        if let owner = device.subject, let subject, !owner.equals(subject) {
            throw Rejection(
                .keyOwnerMismatch, "the device was registered for another subject than the request names (\(device.id))")
        }
        guard acceptsSimulated || !device.registration.simulated else { throw Rejection.simulatedNotAccepted }
    }

    /// Judges what is registered under the name that a plugin read from evidence. Only a registration may name a device that is not: whether
    /// the plugin would have noticed must not decide.
    package func check(located device: Device?, for purpose: Purpose) throws(Rejection) {
        if let device {
            try check(device)
        } else if purpose != .register {
            throw ReasonCode.unknownDevice.rejection
        }
    }
}

extension Rejection {
    /// The evidence, or the registration that it relies on, is worth what a test root is worth.
    package static let simulatedNotAccepted = Rejection(
        .simulatedNotAccepted, "the evidence rests on a test root, and the app does not say accept_simulated: true")
}
