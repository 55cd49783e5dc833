import AssayCore

/// What the registry has to say before the evidence of a known device is looked at: cheap, so it comes first.
enum Registry {
    static func check(_ device: Device, for request: VerificationRequest, subject: [UInt8]?) throws(Interruption) {
        do throws(Rejection) {
            guard !device.isBlocked else { throw ReasonCode.deviceBlocked.rejection }
            guard request.expectedDevice == nil || request.expectedDevice == device.id else {
                throw ReasonCode.deviceMismatch.rejection
            }
            if let owner = device.subject, let subject, owner != subject { throw ReasonCode.keyOwnerMismatch.rejection }
        } catch {
            throw .refused(error, check: "registry", device: device)
        }
    }
}
