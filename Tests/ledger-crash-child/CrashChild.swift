import AssayCore
import AssaySQLite

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Commits to a ledger as fast as it can until it is killed, and reports each accepted entry after its commit:
///
///     ledger-crash-child <path>
///
/// Entry n registers the device whose name and key are n, spends the token n, and then advances the device's counter to
/// 1, spending the token with the top bit of its first byte set, and issues the certificate with the serial number 1 ‖ n. Each
/// fourth n is also the serial number of a fleet's device: it is permitted, and provisioned with the certificate 2 ‖ n. A line
/// of standard output is n.
@main
enum CrashChild {
    static func main() async throws {
        guard let path = CommandLine.arguments.dropFirst().first else { exit(64) }
        let ledger = try SQLiteLedger.open(path: path)
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<16 as Range<UInt64> {
                group.addTask {
                    for step in 0..<UInt64(1 << 20) { await accept(step * 16 + task, by: ledger) }
                }
            }
        }
    }

    private static func accept(_ number: UInt64, by ledger: SQLiteLedger) async {
        let registered = try? await ledger.commit([entry(number, advances: false)])
        guard registered == [.committed] else { exit(65) }
        let advanced = try? await ledger.commit([entry(number, advances: true)])
        guard advanced == [.committed] else { exit(66) }
        if number.isMultiple(of: 4) {
            let fleet = fleetEntry(number)
            let enrolment = Enrolment(app: fleet.record.app, permit: .serial(fleet.record.serial), createdAt: time)
            guard (try? await ledger.add([enrolment], fleet.context)) == [true] else { exit(68) }
            guard (try? await ledger.provision(fleet)) == .provisioned else { exit(69) }
        }
        // A kill does not split one write of a short line.
        let line = Array("\(number)\n".utf8)
        _ = line.withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
    }

    private static let time = Timestamp(unixMilliseconds: 1_750_000_000_000)

    private static func entry(_ number: UInt64, advances: Bool) -> LedgerEntry {
        let name = [UInt8](repeating: 0, count: 8) + withUnsafeBytes(of: number.bigEndian) { Array($0) }
        guard let app = AppID("crash"), let id = DeviceID(bytes: name) else { exit(67) }
        var token = name
        if advances { token[0] = 0x80 }
        let device = device(id, app, key: name)
        return LedgerEntry(
            time: time, spends: [.init(token: token, expiry: time.adding(milliseconds: 300_000), expiryIsFixed: true)],
            registrations: advances ? [] : [device],
            advances: advances ? [.init(device: id, counter: 1, rule: .strictlyIncreasing)] : [],
            audit: AuditRecord(
                requestID: name, caller: "child", app: app, purpose: advances ? .assert : .register, device: id,
                assurance: .software, evidenceDigest: name, policyDigest: name, simulated: true),
            certification: advances ? .init(issues: certificate([1] + name, of: device)) : nil)
    }

    private static func device(_ id: DeviceID, _ app: AppID, key: [UInt8]) -> Device {
        Device(
            id: id, app: app, subject: nil,
            registration: Registration(
                format: EvidenceFormat(rawValue: "test"), keyID: key, publicKey: key, environment: "production", anchor: key,
                claims: Claims(), chainSerials: [], receipt: [], simulated: true),
            registeredAt: time)
    }

    /// A certificate whose key is its serial number.
    private static func certificate(_ serial: [UInt8], of device: Device) -> DeviceCertificate {
        DeviceCertificate(
            name: CertificateName(issuer: [1], serial: serial), app: device.app, device: device.id, keyID: serial,
            notBefore: time, notAfter: time.adding(milliseconds: 300_000), issuedAt: time,
            basis: CertificateBasis(
                assurance: .software, protection: .vouched, platform: device.registration.format, policyDigest: serial,
                simulated: true), der: [UInt8](repeating: 7, count: 900))
    }

    private static func fleetEntry(_ number: UInt64) -> FleetEntry {
        let name = [UInt8](repeating: 0x40, count: 8) + withUnsafeBytes(of: number.bigEndian) { Array($0) }
        guard let app = AppID("fleet"), let id = DeviceID(bytes: name) else { exit(67) }
        let device = device(id, app, key: name)
        let certificate = certificate([2] + name, of: device)
        return FleetEntry(
            device: device, certificate: certificate,
            record: FleetDevice(
                app: app, serial: name, device: id, secretHash: name, tables: [1, 2, 3], certificate: certificate.name,
                idempotency: name, request: name, provisionedAt: time),
            family: "", token: nil, context: ChangeContext(.caller("child"), at: time))
    }
}
