import AssayCore

extension Rejection {
    /// The evidence, or the registration that it relies on, is worth what a test root is worth.
    static let simulatedNotAccepted = Rejection(
        .simulatedNotAccepted, "the evidence rests on a test root, and the app does not say accept_simulated: true")

    /// A verdict names one device: by it the commit looks for blocks once more, the audit log tells what happened, and a
    /// verdict that is kept for a repetition becomes void.
    static let severalDevices = Rejection(.deviceMismatch, "the pieces of evidence are of several devices")
}

/// What the registry has to say before the evidence of a known device is looked at: cheap, so it comes first.
enum Registry {
    static func check(_ device: Device, for admitted: AuthorizedRequest, subject: [UInt8]?) throws(StageError) {
        let request = admitted.request
        do throws(Rejection) {
            guard !device.isBlocked else { throw ReasonCode.deviceBlocked.rejection }
            guard request.expectedDevice == nil || request.expectedDevice == device.id else {
                throw ReasonCode.deviceMismatch.rejection
            }
            if let owner = device.subject, let subject, owner != subject { throw ReasonCode.keyOwnerMismatch.rejection }
            guard admitted.profile.acceptsSimulated || !device.registration.simulated else {
                throw Rejection.simulatedNotAccepted
            }
        } catch {
            throw .refused(error, check: "registry", device: device)
        }
    }
}
