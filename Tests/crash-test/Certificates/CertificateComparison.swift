import AssayAPI
import AssayCertificates
import AssayClient
import AssayCore
import AssaySimulator
import AssayTesting

/// Compares a restarted daemon with what callers were told about certificates.
///
/// Requests without an answer are settled first. After that the state is known exactly: the certificates with their serial numbers,
/// devices and revocations, the permissions of the fleet, and the audit log's records of them.
struct CertificateComparison: Sendable {
    let recent: Int
    let home: Home
    let expected: ExpectedCertificates
    let findings: Findings
    let client: AssayClient

    private var apps: [AppID] { [home.photos, home.fleet] }

    /// Returns a description of the comparison for people.
    func run(seed: UInt64) async throws -> String {
        let state = expected.now
        try await compareRegistry(state)
        try await compareDevices(state)
        try await compareEnrolments(state)
        try await compareList(state)
        var numbers = SeededNumbers(seed: seed)
        let issued = state.issued.sorted { $0.number < $1.number }
        try await concurrently(sample(issued, recent: recent, &numbers)) { try await compareAnswer($0, state) }
        let bundles = sample(state.bundles, recent: recent, &numbers)
        try await concurrently(bundles) { try await compareBundle($0, state) }
        let ended = sample(state.devices.values.filter { $0.ending != nil }, recent: recent, &numbers)
        try await concurrently(ended) { try await compareRevoked($0) }
        return "\(issued.count) certificates, \(bundles.count) bundles, \(ended.count) revocations"
    }

    /// The records of the audit log.
    func compare(_ counted: AuditCount) {
        let state = expected.now
        let verdicts = counted.verdicts(of: apps)
        findings.expect(
            verdicts == state.verdicts,
            "the audit log has \(verdicts) records of verdicts with certificates, not \(state.verdicts)")
        findings.expect(counted.repeated.isEmpty, "the audit log has a serial number twice: \(counted.repeated)")
        var issued: [String: [UInt8]] = [:]
        var revoked: Set<String> = []
        for device in state.devices.values {
            for (index, certificate) in device.certificates.enumerated() {
                issued[Hex.encode(certificate.serial)] = certificate.digest
                if device.revocation(at: index) != nil { revoked.insert(Hex.encode(certificate.serial)) }
            }
        }
        findings.expect(counted.issued == issued, "the audit log issues other certificates than callers received")
        findings.expect(counted.revoked == revoked, "the audit log revokes other certificates than callers did")
    }

    // MARK: Known facts

    /// Every certificate, and no other.
    private func compareRegistry(_ state: ExpectedCertificates.State) async throws {
        var found: [[UInt8]: Assay_V1_DeviceCertificate] = [:]
        for app in apps {
            for certificate in try await client.allCertificates(of: app) {
                let earlier = found.updateValue(certificate, forKey: Array(certificate.serial))
                findings.expect(earlier == nil, "two certificates on record have one serial number")
            }
        }
        for device in state.devices.values {
            for (index, certificate) in device.certificates.enumerated() {
                let name = Hex.encode(certificate.serial)
                guard let record = found.removeValue(forKey: certificate.serial) else {
                    findings.expect(false, "certificate \(name), which a caller received, is not on record")
                    continue
                }
                findings.expect(Array(record.certificate) == certificate.der, "certificate \(name) has another DER")
                findings.expect(Array(record.keyID) == certificate.request.keyID, "certificate \(name) has another key")
                findings.expect(Array(record.deviceID) == device.id, "certificate \(name) is of another device")
                findings.expect(record.app == device.app.text, "certificate \(name) is of another app")
                let reason = device.revocation(at: index)
                findings.expect(
                    record.hasRevocation == (reason != nil) && (reason == nil || record.revocation.reason == reason?.message),
                    "certificate \(name) \(reason == nil ? "was not" : "was") revoked, and its record says the contrary")
                if index > 0 {
                    findings.expect(
                        Array(record.renewedFrom.serial) == device.certificates[index - 1].serial,
                        "certificate \(name) was renewed from another one")
                }
            }
        }
        findings.expect(found.isEmpty, "\(found.count) certificates exist that no caller was told of")
    }

    private func compareDevices(_ state: ExpectedCertificates.State) async throws {
        var found: Set<[UInt8]> = []
        for app in apps {
            for device in try await client.allDevices(of: app) {
                let id = Array(device.deviceID)
                found.insert(id)
                let isBlocked = state.devices[id]?.ending?.kind == .block
                findings.expect(
                    (device.state == .blocked) == isBlocked,
                    "a device with a certificate is \(device.state), and \(isBlocked ? "was" : "was not") blocked")
            }
        }
        findings.expect(found == Set(state.devices.keys), "there are other devices with certificates than callers know")
    }

    /// The allow-list: what was added, and which device used it.
    private func compareEnrolments(_ state: ExpectedCertificates.State) async throws {
        let cameras = state.devices.values.filter { $0.app == home.fleet }
        let users = Dictionary(cameras.map { ($0.serial, $0.id) }) { first, _ in first }
        findings.expect(users.count == cameras.count, "a serial number of the fleet was provisioned twice")
        var found: [String: [UInt8]] = [:]
        var token: [UInt8] = []
        repeat {
            let page = try await client.enrolments(
                app: home.fleet, pageSize: 500, pageToken: token, timeout: LoadClient.patience)
            for enrolment in page.enrolments { found[enrolment.serial] = Array(enrolment.usedBy) }
            token = Array(page.nextPageToken)
        } while !token.isEmpty
        for serial in state.enrolled {
            findings.expect(
                found[serial] == users[serial] ?? [],
                found[serial] == nil ? "a permission is lost" : "a permission was used by another device than was told")
        }
        findings.expect(
            found.allSatisfy { state.enrolled.contains($0.key) || $0.value.isEmpty },
            "a permission was used that no caller was told of")
    }

    /// The revocation list: what was revoked, under a number that does not go back.
    private func compareList(_ state: ExpectedCertificates.State) async throws {
        let message = try await client.revocationList(timeout: LoadClient.patience)
        let list = try CertificateRevocationList(der: Array(message.list)[...])
        for device in state.devices.values {
            for (index, certificate) in device.certificates.enumerated() {
                let isRevoked = device.revocation(at: index) != nil
                findings.expect(
                    (list.entries[certificate.serial] != nil) == isRevoked,
                    "a certificate that \(isRevoked ? "was" : "was not") revoked is\(isRevoked ? " not" : "") on the revocation list"
                )
            }
        }
        if let known = state.list {
            findings.expect(
                message.number > known.number || message.number == known.number && Array(message.list) == known.der,
                "the revocation list has number \(message.number) after another one with \(known.number)")
        }
        expected.edit { $0.list = (message.number, Array(message.list)) }
    }
}
