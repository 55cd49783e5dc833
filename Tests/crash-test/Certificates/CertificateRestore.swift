import AssayAPI
import AssayClient
import AssayCore
import AssayTesting

/// Compares a restored backup with what callers were told about certificates before and after it, and continues with it.
///
/// Certificates that were issued since are unknown, and their cameras can be provisioned again; revocations since must be repeated, and
/// bundles that were accepted since count as new ones (docs/operate/backups.md).
struct CertificateRestore: Sendable {
    /// The expected state before and after the backup.
    struct Backup: Sendable {
        let early: ExpectedCertificates.State
        let late: ExpectedCertificates.State
    }

    let backup: Backup
    let recent: Int
    let home: Home
    let expected: ExpectedCertificates
    let findings: Findings
    let client: AssayClient

    /// Returns a description for people.
    func run(_ counted: AuditCount) async throws -> String {
        let known = expected.now
        let verdicts = counted.verdicts(of: [home.photos, home.fleet])
        findings.expect(
            backup.early.verdicts <= verdicts && verdicts <= backup.late.verdicts + Int64(Load.certificateClients),
            "the backup has \(verdicts) audit records of verdicts with certificates, not \(backup.early.verdicts) to "
                + "\(backup.late.verdicts) and what was in flight")
        findings.expect(counted.repeated.isEmpty, "the backup's audit log has a serial number twice")
        let kept = try await adopt(known, verdicts)
        let lost = known.issued.filter { certificate in !kept.contains(certificate.serial) }
        try await concurrently(Array(lost.suffix(recent))) { try await compareLost($0) }
        try await compareBundles(known)
        return "\(kept.count) of \(known.issued.count) certificates"
    }

    /// Continues with the backup's registry. Returns the serial numbers of its certificates.
    private func adopt(_ known: ExpectedCertificates.State, _ verdicts: Int64) async throws -> Set<[UInt8]> {
        var found: [[UInt8]: Assay_V1_DeviceCertificate] = [:]
        for app in [home.photos, home.fleet] {
            for certificate in try await client.allCertificates(of: app) { found[Array(certificate.keyID)] = certificate }
        }
        for device in backup.early.devices.values {
            for (index, certificate) in device.certificates.enumerated() {
                guard let record = found[certificate.request.keyID] else {
                    findings.expect(false, "the backup lost a certificate")
                    continue
                }
                findings.expect(Array(record.certificate) == certificate.der, "the backup has another certificate for a key")
                findings.expect(
                    device.ending?.isCertain != true || device.revocation(at: index) == nil || record.hasRevocation,
                    "the backup lost a revocation")
            }
        }
        expected.edit { state in
            for device in state.devices.values {
                var device = device
                device.certificates = device.certificates.filter { found[$0.request.keyID] != nil }
                // What was ended since must be ended again.
                if case .revocation(let index, _) = device.ending?.kind, index >= device.certificates.count {
                    device.ending = nil
                }
                device.ending?.isCertain = false
                device.submissions = nil
                state.devices[device.id] = device.certificates.isEmpty ? nil : device
            }
            let early = Set(backup.early.bundles.map(\.json))
            state.bundles = state.bundles.filter { early.contains($0.json) }
            (state.open, state.openBundles) = ([], [])
            state.enrolled = backup.early.enrolled
            // A number that a clock ahead of time gave may come again.
            if let list = state.list, list.number > SystemClock().now().unixMilliseconds { state.list = nil }
        }
        // Requests without an answer that were applied before the backup.
        for open in known.open {
            guard let record = found[open.request.keyID] else { continue }
            let certificate = try IssuedCertificate(
                open.request, der: Array(record.certificate), answer: nil, isOutOfTime: open.isOutOfTime)
            findings.expect(
                expected.received(certificate, on: Array(record.deviceID)) != nil, "a serial number was used twice")
        }
        expected.edit { $0.verdicts = verdicts }
        let kept = Set(expected.now.issued.map(\.serial))
        findings.expect(
            found.values.allSatisfy { kept.contains(Array($0.serial)) }, "the backup has a certificate that no caller asked for"
        )
        return kept
    }

    /// A certificate that was issued after the backup is not on record, and a camera gets another one.
    private func compareLost(_ lost: IssuedCertificate) async throws {
        let request = lost.request
        let verdict = try await client.submit(try request.bundle(lost.der), app: request.app)
        let codes = lost.isOutOfTime ? ["unknown_certificate", "not_yet_valid"] : ["unknown_certificate"]
        findings.expect(
            verdict.decision == .rejected && codes.contains(verdict.reason),
            "a bundle of a certificate that the backup does not have gives \(verdict.decision) \(verdict.reason)")
        do {
            _ = try await client.revoke(serial: lost.serial, app: request.app, timeout: LoadClient.patience)
            findings.expect(false, "a certificate that the backup does not have was revoked")
        } catch {
            guard error.code == .notFound else { throw error }
        }
        guard case .provision(let call) = request.call else { return }
        _ = try await client.addEnrolments(app: home.fleet, serials: [call.serial], timeout: LoadClient.patience)
        expected.edit { _ = $0.enrolled.insert(call.serial) }
        guard case .certified(let der, let device, let digest, let isRepeated) = try await client.send(request) else {
            return findings.expect(false, "a camera that the backup does not have cannot be provisioned again")
        }
        findings.expect(!isRepeated, "the backup repeats an answer that it does not have")
        let certificate = try IssuedCertificate(request, der: der, answer: digest, isOutOfTime: false)
        findings.expect(expected.received(certificate, on: device) != nil, "a serial number was used twice")
    }

    /// Bundles that were accepted since the backup count as new ones.
    private func compareBundles(_ known: ExpectedCertificates.State) async throws {
        let state = expected.now
        let early = Set(backup.early.bundles.map(\.json))
        let later = known.bundles.filter { bundle in
            guard !early.contains(bundle.json), let device = state.devices[bundle.device] else { return false }
            return device.ending == nil && bundle.certificate < device.certificates.count
        }
        try await concurrently(Array(later.suffix(recent))) { bundle in
            let verdict = try await client.submit(bundle.json, app: bundle.app)
            findings.expect(verdict.decision == .accepted, "a bundle is refused after a restore: \(verdict.reason)")
            // Those that were accepted just before the backup are known to it.
            if verdict.decision == .accepted, !verdict.repeated {
                expected.accepted(bundle)
            } else if verdict.repeated {
                expected.edit { $0.bundles.append(bundle) }
            }
        }
    }
}
