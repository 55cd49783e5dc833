import AssayCore

/// The appraisers of registered devices whose keys sign messages, by the format of their registration.
struct RegisteredKeyJudges: Sendable {
    private let byFormat: [EvidenceFormat: any RegisteredDeviceAppraiser]

    init(_ judges: [any RegisteredDeviceAppraiser]) {
        byFormat = Dictionary(judges.map { ($0.format, $0) }, uniquingKeysWith: { _, last in last })
    }

    var all: [any RegisteredDeviceAppraiser] { Array(byFormat.values) }

    /// The device that the service looked up, registered under this key, in a format that has an appraiser here.
    func device(
        of evidence: BoundedEvidence, _ found: Device?, _ appraisal: inout Appraisal
    ) throws(Rejection) -> (Device, any RegisteredDeviceAppraiser) {
        let (device, judge) = try appraisal.check("device") { () throws(Rejection) in
            guard let device = found, device.registration.keyID.equals(evidence.keyID),
                let judge = byFormat[device.registration.format]
            else {
                if let fault = KeyIDForm.fault(of: evidence.keyID) { throw Rejection(.keyIDMismatch, fault) }
                throw Rejection(
                    .unknownDevice,
                    "no device that signs messages is registered with the key id \(Hex.short(evidence.keyID))")
            }
            return (device, judge)
        }
        appraisal.simulated = device.registration.simulated
        return (device, judge)
    }
}

extension RegisteredKey {
    /// The check `algorithm`: the registered key signs by it.
    static func check(
        _ registration: Registration, _ algorithm: KeySignatureAlgorithm, _ appraisal: inout Appraisal
    ) throws(Rejection) -> RegisteredKey {
        try appraisal.check("algorithm") { () throws(Rejection) in
            let key = try RegisteredKey(registration)
            guard key.signs(by: algorithm) else {
                throw Rejection(.unsupportedAlgorithm, "the registered key does not sign by \(algorithm.name)")
            }
            return key
        }
    }
}
