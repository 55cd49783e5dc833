import AssayCertificates
import AssayCore

/// The registry: the certificate's record, its device, and what the device is worth today.
extension CertificateBundleVerifier {
    /// What Assay's own CAs issued for this app is on record. Nothing else of theirs is accepted.
    func checkRecord(
        _ record: DeviceCertificate?, _ certificates: TrustedCertificates, _ appraisal: inout Appraisal
    ) throws(Rejection) {
        try appraisal.check("certificate_record") { () throws(Rejection) in
            guard let record else {
                guard !authorities.isOwn(certificates.name.issuer) else {
                    throw Rejection(.unknownCertificate, "no certificate with this serial number was issued")
                }
                return
            }
            guard record.app == app, record.keyID == certificates.keyID,
                record.der.isEmpty || certificates.chain.leaf.hasBytes(of: record.der)
            else { throw Rejection(.unknownCertificate, "the certificate on record is another one, or of another app") }
        }
        appraisal.claims.add("key_protection", record.map { .text($0.basis.protection.name) })
        appraisal.simulated = appraisal.simulated || record?.basis.simulated == true
    }

    /// The device with the secret in the certificate, or else the one for which the certificate is on record.
    func checkDevice(
        _ found: Device?, _ record: DeviceCertificate?, _ certificates: TrustedCertificates, _ appraisal: inout Appraisal
    ) throws(Rejection) -> Device {
        var keyID: [UInt8]?
        if record != nil, policy.secret == .ifPresent, certificates.fleet.sealedSecret == nil || fleet == nil {
            // The record names the device. Without a fleet no key could open the secret.
            appraisal.skip("secret")
            if certificates.fleet.sealedSecret != nil {
                appraisal.note("secret", "secret_not_checked", "the app has no fleet whose keys open the secret")
            }
        } else {
            keyID = try appraisal.check("secret") { () throws(Rejection) in try certificates.deviceKeyID.get() }
        }
        let device = try appraisal.check("device") { () throws(Rejection) in
            guard let device = found, device.app == app, keyID == nil || device.registration.keyID == keyID else {
                throw Rejection(.unknownDevice, "no device of the app has this secret or certificate")
            }
            return device
        }
        appraisal.simulated = appraisal.simulated || device.registration.simulated
        try appraisal.check("serial") { () throws(Rejection) in
            if let record {
                // The record ties the certificate to its device, by whatever names the certificate has.
                guard record.device == device.id else {
                    throw Rejection(.deviceMismatch, "the certificate was issued to another device")
                }
                return
            }
            guard let serial = certificates.deviceSerial,
                let registered = device.registration.claims.text(FleetDeviceAppraiser.serialClaim),
                registered.hasBytes(of: serial)
            else { throw Rejection(.serialMismatch, "the certificate names another device than the secret in it") }
        }
        return device
    }

    /// The device's registration under today's policy, and the assurance: never more than that of the certificate.
    func judge(
        _ device: Device, _ record: DeviceCertificate?, in context: AppraisalContext, _ appraisal: inout Appraisal
    ) throws(Rejection) {
        let judge = try appraisal.check("platform") { () throws(Rejection) in
            guard let judge = judges[device.registration.format] else {
                throw Rejection(.unknownDevice, "the app accepts no devices of the format \(device.registration.format)")
            }
            return judge
        }
        try judge.judge(device, in: context, &appraisal)
        appraisal.assurance = min(appraisal.assurance, record?.basis.assurance ?? policy.foreignAssurance)
    }

    func countSubmission(_ count: Int64?, of device: Device, _ appraisal: inout Appraisal) {
        appraisal.submission = LedgerEntry.Submission(device: device.id, limit: policy.submissions.block)
        // The commit refuses one too many: only there is it known whether the statement is a repetition, which is no further submission.
        guard let count else { return appraisal.skip("submissions") }
        appraisal.findings.append(.pass("submissions"))
        if count >= policy.submissions.warn {
            appraisal.note("submissions", "many_submissions", "the device made \(count) submissions in 24 hours")
        }
    }
}
