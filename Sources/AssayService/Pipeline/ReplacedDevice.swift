import AssayCore

/// The device that a registration retires, because its user has lost the key: `replaces` of a request.
extension FactFetcher {
    /// The record of the device that the request names; `nil` where it names none. Refuses what the app's rule does not let it replace. The commit
    /// checks again that the device is registered and not blocked.
    func replacedDevice(_ admitted: AuthorizedRequest, subject: [UInt8]?) async throws(StageError) -> Device? {
        guard let id = admitted.request.replaces else { return nil }
        let found: Device?
        do { found = try await ledger.device(id) } catch { throw .failed(.ledger(error)) }
        // A device of another app is as unknown as one that never was.
        guard let device = found, device.app == admitted.request.app else {
            throw .refused(.replacementUnknown(id), check: DeviceAdmission.check)
        }
        guard !device.isBlocked else {
            throw .refused(
                Rejection(.deviceBlocked, "\(id), which is to be replaced, or its subject is blocked"),
                check: DeviceAdmission.check)
        }
        if let why = admitted.profile.replacement.objection(to: device, subject: subject) {
            throw .refused(Rejection(.replacementRefused, why), check: DeviceAdmission.check)
        }
        return device
    }
}

extension ReplacementRule {
    /// Why a device must not be replaced; `nil` if it may.
    fileprivate func objection(to device: Device, subject: [UInt8]?) -> String? {
        guard device.registration.format != .fleetDevice else {
            return "\(device.id) is a device of a fleet: its serial number is readmitted ('assay enrol readmit')"
        }
        switch self {
        case .any: return nil
        case .none: return "the app replaces no devices (replaces: none)"
        case .ofSubject:
            guard let subject else { return "the request names no subject, and the app replaces devices of one subject" }
            guard device.subject == subject else {
                return "\(device.id) was registered "
                    + (device.subject == nil ? "without a subject" : "for another subject than the request names")
            }
            return nil
        }
    }
}

extension Rejection {
    static func replacementUnknown(_ id: DeviceID) -> Rejection {
        Rejection(.replacementRefused, "no device \(id) is registered for the app: it was replaced or forgotten, or never was")
    }
}

extension Finding {
    static func replaced(_ device: Device) -> Finding {
        .note(
            DeviceAdmission.check, "device_replaced",
            "the registration takes the place of \(device.id), which is retired with it")
    }
}
