import AssayCore

/// What the registry decides before evidence is appraised: about the devices that the evidence names, the subject that the request names, and the
/// device that a registration retires.
extension AuthorizedRequest {
    private func admission(_ subject: [UInt8]?) -> DeviceAdmission {
        DeviceAdmission(
            expected: request.expectedDevice, subject: subject, acceptsSimulated: profile.acceptsSimulated,
            flags: (profile.deviceFlags, now))
    }

    /// - Parameter subject: the keyed hash of the request's subject.
    func check(_ device: Device, subject: [UInt8]?) throws(StageError) {
        do throws(Rejection) { try admission(subject).check(device) } catch {
            throw .refused(error, check: DeviceAdmission.check, device: device)
        }
    }

    /// - Parameter device: that of the name which a plugin read from the evidence; `nil`: none is registered under it.
    func check(located device: Device?, subject: [UInt8]?) throws(StageError) {
        do throws(Rejection) { try admission(subject).check(located: device, for: request.purpose) } catch {
            throw .refused(error, check: DeviceAdmission.check, device: device)
        }
    }

    /// The device that the request retires (`replaces`). Refuses what the app's rule does not let it replace. The commit checks again that the
    /// device is registered and not blocked.
    func check(_ replaced: RequestFacts.Replaced, of id: DeviceID, subject: [UInt8]?) throws(StageError) {
        guard case .device(let device) = replaced else {
            throw .refused(.replacementUnknown(id), check: DeviceAdmission.check)
        }
        guard !device.isBlocked else {
            throw .refused(
                Rejection(.deviceBlocked, "\(id), which is to be replaced, or its subject is blocked"),
                check: DeviceAdmission.check)
        }
        if let why = profile.replacement.objection(to: device, subject: subject) {
            throw .refused(Rejection(.replacementRefused, why), check: DeviceAdmission.check)
        }
    }
}

extension StageError {
    /// A request whose subject is blocked is refused, whatever the evidence.
    static var subjectBlocked: StageError { .refused(ReasonCode.deviceBlocked.rejection, check: DeviceAdmission.check) }
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
    /// Flags that the policy does not reject; `nil`: none stands on the device.
    static func flagged(_ device: Device, at now: Timestamp) -> Finding? {
        guard !device.flags.isEmpty else { return nil }
        let names = device.flags.names(at: now)
        guard !names.isEmpty else { return nil }
        return .note(
            DeviceAdmission.check, ReasonCode.deviceFlagged.rawValue, "the device is flagged \(names.joined(separator: ", "))")
    }

    static func replaced(_ device: Device) -> Finding {
        .note(
            DeviceAdmission.check, "device_replaced",
            "the registration takes the place of \(device.id), which is retired with it")
    }
}
