package import AssayCore

/// Appraises registered devices of a fleet again at each use. A provisioning service vouched for them: there is no evidence that today's
/// policy could judge, so the level of trust is that of their certificate.
package struct FleetDeviceAppraiser: RegisteredDeviceAppraiser {
    package let format: EvidenceFormat = .fleetDevice
    package let signsMessages = false

    /// The claims of a fleet device's registration.
    static let serialClaim = "device_serial"
    static let familyClaim = "device_family"

    package init() {}

    package func judge(
        _ device: Device, in context: AppraisalContext, _ appraisal: inout Appraisal
    ) throws(Rejection) {
        let registration = device.registration
        appraisal.simulated = appraisal.simulated || registration.simulated
        try appraisal.require(
            "registration", registration.format == format && registration.claims.text(Self.serialClaim) != nil,
            else: .unknownDevice, "the device was not registered by a provisioning service")
        for name in [Self.serialClaim, Self.familyClaim] where appraisal.claims[name] == nil {
            appraisal.claims.add(name, registration.claims[name])
        }
        // No bound of its own: the caller bounds it by the assurance of the certificate, on record or of the configuration.
        appraisal.assurance = context.facts.certificate?.basis.assurance ?? .secureElement
    }
}
