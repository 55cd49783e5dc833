import AssayAPI
import AssayClient
import AssayCore
import AssayEncoding
import AssaySimulator
import AssayTesting
import Crypto
import Foundation
import Testing

@testable import DaemonTesting

extension ProcessTests {
    /// Input to the methods of provisioning that no honest client sends: each gets a clear answer, and the daemon goes on.
    @Suite("Hostile input about certificates")
    struct HostileProvisioningTests {
        /// `reason` of an error, or what `work` returns.
        private func outcome(_ work: () async throws -> String) async throws -> String {
            do { return try await work() } catch let error as AssayError { return error.code.rawValue }
        }

        private func provision(
            _ home: ProvisioningHome, _ client: AssayClient, serial: String, csr: [UInt8], token: String = ""
        ) async throws -> String {
            try await outcome {
                let answer = try await client.provisionDevice(
                    FleetDeviceRequest(app: home.fleet, serial: serial, csr: csr, token: token), timeout: TestPhone.patience)
                return answer.rejection.reason == "" ? "provisioned" : answer.rejection.reason
            }
        }

        @Test("Requests that are too long, empty, or of no key are refused by both methods, and nothing is used up")
        func lengths() async throws {
            let home = try await ProvisioningHome()
            let daemon = try await TestDaemon(home.home)
            let client = try await daemon.connect()
            _ = try await client.addEnrolments(app: home.fleet, serials: ["CAM-1"])
            let camera = VirtualCamera(serial: "CAM-1")
            let csr = try camera.certificateRequest()
            // A request of any length that proves possession: the name is long.
            func long(_ length: Int) throws -> [UInt8] {
                func make(_ name: Int) throws -> [UInt8] {
                    try CertificateRequestDraft(
                        TestKey(camera.key), subject: .init(commonName: String(repeating: "x", count: name))
                    ).signed(by: TestKey(camera.key))
                }
                var name = length - 300
                while true {
                    // The length of a signature varies.
                    let made = try make(name)
                    if made.count == length { return made }
                    name += length - made.count
                }
            }
            let exact = try long(16_384)
            for (what, bytes, reason) in [
                ("16 KiB + 1", try long(16_385), "INVALID_ARGUMENT"),
                ("1 MiB less a bit", [UInt8](repeating: 0x30, count: 1_000_000), "INVALID_ARGUMENT"),
                ("a byte", [0], "malformed_csr"), ("a cut one", csr.dropLast(), "malformed_csr"),
                ("a byte more", csr + [0], "malformed_csr"), ("two", csr + csr, "malformed_csr"),
                ("a public key", camera.key.subjectPublicKeyInfo, "malformed_csr"),
                ("a length beyond the end", [0x30, 0x84, 0xFF, 0xFF, 0xFF, 0xFF], "malformed_csr"),
                ("deep", [UInt8](repeating: 0x30, count: 2) + [UInt8](repeating: 0x80, count: 8000), "malformed_csr"),
            ] as [(String, [UInt8], String)] {
                #expect(try await provision(home, client, serial: "CAM-1", csr: bytes) == reason, "\(what)")
                var request = try await home.request(home.home.phone(), bytes, client)
                let issued = try await outcome { try await client.issue(request, timeout: TestPhone.patience).verdict.outcome }
                #expect(issued == reason, "\(what)")
                request.key = .publicKey(bytes)
                let bare = try await outcome {
                    try await client.issue(request, timeout: TestPhone.patience).verdict.decision == .rejected
                        ? "rejected" : "accepted"
                }
                #expect(["rejected", "INVALID_ARGUMENT"].contains(bare), "\(what): \(bare)")
            }
            for token in [String(repeating: "t", count: 129), String(repeating: "t", count: 70_000)] {
                #expect(try await provision(home, client, serial: "CAM-1", csr: csr, token: token) == "INVALID_ARGUMENT")
            }
            #expect(try await provision(home, client, serial: "CAM-1", csr: exact) == "provisioned", "16 KiB are read")
            #expect(try await client.certificates(app: home.photos).certificates.isEmpty)
            await client.close()
            #expect(await daemon.stop().status == 0)
        }

        @Test("10 000 mutations of a good request and of a good bundle each get an answer, and none is taken for the good one")
        func mutations() async throws {
            let home = try await ProvisioningHome()
            let daemon = try await TestDaemon(home.home)
            let client = try await daemon.connect()
            _ = try await client.addEnrolments(app: home.fleet, serials: ["CAM-1", "CAM-2"])
            let camera = VirtualCamera(serial: "CAM-1")
            let made = try await client.provisionDevice(
                FleetDeviceRequest(app: home.fleet, serial: "CAM-1", csr: try camera.certificateRequest()))
            let csr = try VirtualCamera(serial: "CAM-2").certificateRequest()
            let bundle = try camera.bundle(
                imageHash: [UInt8](repeating: 0xAB, count: 32), certificate: Array(made.deviceCertificate),
                at: SystemClock().now())
            #expect(try await home.submit(bundle, app: home.fleet, client).outcome == "accepted")

            let outcomes = try await withThrowingTaskGroup(of: [String: Int].self) { group in
                for worker in 0..<8 {
                    group.addTask {
                        var numbers = SeededNumbers(seed: UInt64(worker) + 1)
                        var outcomes: [String: Int] = [:]
                        for _ in 0..<1250 {
                            let request = Self.mutated(csr, &numbers)
                            if request != csr {
                                // Not on the allow-list, so that a mutation that is still a request is refused, too.
                                outcomes[
                                    "csr " + (try await provision(home, client, serial: "CAM-X", csr: request)), default: 0] +=
                                    1
                            }
                            let evidence = Self.mutated(bundle, &numbers)
                            let outcome = try await outcome {
                                let verdict = try await home.submit(evidence, app: home.fleet, client)
                                return verdict.decision == .accepted && !verdict.repeated ? "a new statement" : verdict.outcome
                            }
                            outcomes["bundle " + outcome, default: 0] += 1
                        }
                        return outcomes
                    }
                }
                return try await group.reduce(into: [String: Int]()) { $0.merge($1, uniquingKeysWith: +) }
            }
            #expect(outcomes["bundle a new statement"] == nil && outcomes["csr provisioned"] == nil, "\(outcomes)")
            #expect(
                outcomes.keys.allSatisfy { !$0.contains("INTERNAL") && !$0.contains("UNAVAILABLE") && !$0.contains("UNKNOWN") },
                "\(outcomes)")
            #expect(
                outcomes["bundle bad_signature", default: 0] > 10 && outcomes["csr malformed_csr", default: 0] > 100,
                "\(outcomes)")
            #expect(daemon.child.isRunning)
            #expect(try await provision(home, client, serial: "CAM-2", csr: csr) == "provisioned")
            #expect(try await home.submit(bundle, app: home.fleet, client).repeated)
            await client.close()
            #expect(await daemon.stop().status == 0)
        }

        /// One to four changes: a bit, a byte, a cut, an insertion, a copy of a part.
        private static func mutated(_ bytes: [UInt8], _ numbers: inout SeededNumbers) -> [UInt8] {
            var result = bytes
            for _ in 0..<Int.random(in: 1...4, using: &numbers) where !result.isEmpty {
                let place = Int.random(in: 0..<result.count, using: &numbers)
                switch Int.random(in: 0..<6, using: &numbers) {
                case 0: result[place] ^= 1 << UInt8.random(in: 0..<8, using: &numbers)
                case 1: result[place] = UInt8.random(in: 0...255, using: &numbers)
                case 2: result.removeSubrange(place..<min(result.count, place + Int.random(in: 1...8, using: &numbers)))
                case 3: result.insert(UInt8.random(in: 0...255, using: &numbers), at: place)
                case 4: result.removeSubrange(place...)
                default: result.insert(contentsOf: result[place..<min(result.count, place + 40)], at: place)
                }
            }
            return result
        }

        @Test("A page token of another listing, app or state is refused")
        func pageTokens() async throws {
            let home = try await ProvisioningHome()
            let daemon = try await TestDaemon(home.home)
            let client = try await daemon.connect()
            for app in [home.fleet, home.legacy] {
                _ = try await client.addEnrolments(app: app, serials: ["CAM-1", "CAM-2", "CAM-3"])
                for serial in ["CAM-1", "CAM-2"] {
                    _ = try await client.provisionDevice(
                        FleetDeviceRequest(
                            app: app, serial: serial, csr: try VirtualCamera(serial: serial).certificateRequest()))
                }
            }
            let certificates = try await client.certificates(app: home.fleet, pageSize: 1)
            let enrolments = try await client.enrolments(app: home.fleet, pageSize: 1)
            let devices = try await client.devices(app: home.fleet, pageSize: 1)
            let tokens = [certificates.nextPageToken, enrolments.nextPageToken, devices.nextPageToken].map { Array($0) }
            #expect(tokens.allSatisfy { !$0.isEmpty } && Set(tokens).count == 3)
            let device = try #require(DeviceID(bytes: Array(devices.devices[0].deviceID)))
            typealias Attempt = ([UInt8]) async throws -> Void
            let listings: [(String, Int?, Attempt)] = [
                ("certificates", 0, { _ = try await client.certificates(app: home.fleet, pageToken: $0) }),
                ("enrolments", 1, { _ = try await client.enrolments(app: home.fleet, pageToken: $0) }),
                ("devices", 2, { _ = try await client.devices(app: home.fleet, pageToken: $0) }),
                ("certificates of another app", nil, { _ = try await client.certificates(app: home.legacy, pageToken: $0) }),
                ("good certificates", nil, { _ = try await client.certificates(app: home.fleet, state: .good, pageToken: $0) }),
                (
                    "certificates of a device", nil,
                    { _ = try await client.certificates(app: home.fleet, device: device, pageToken: $0) }
                ),
                ("enrolments of another app", nil, { _ = try await client.enrolments(app: home.legacy, pageToken: $0) }),
                ("used enrolments", nil, { _ = try await client.enrolments(app: home.fleet, state: .used, pageToken: $0) }),
            ]
            let strange = [[0], [UInt8](repeating: 0, count: 16), [UInt8](repeating: 0xFF, count: 65), tokens[0] + [0]]
            for (name, own, list) in listings {
                for (number, token) in (tokens + strange).enumerated() {
                    let result = try await outcome {
                        try await list(token)
                        return "listed"
                    }
                    #expect(result == (number == own ? "listed" : "INVALID_ARGUMENT"), "\(name), token \(number)")
                }
            }
            await client.close()
            #expect(await daemon.stop().status == 0)
        }

        @Test("Serial numbers are bytes: composed and decomposed forms are two, and one of 255 characters reaches the verdict")
        func serials() async throws {
            let home = try await ProvisioningHome()
            let daemon = try await TestDaemon(home.home)
            let client = try await daemon.connect()
            let (composed, decomposed) = ("CAM-\u{E9}", "CAM-e\u{301}")
            #expect(composed == decomposed, "Swift compares characters")
            let answer = try await client.addEnrolments(app: home.fleet, serials: [composed])
            #expect(answer.added == 1 && answer.present.isEmpty)
            let key = { try VirtualCamera(serial: "x").certificateRequest() }
            #expect(try await provision(home, client, serial: decomposed, csr: try key()) == "not_enrolled")
            #expect(try await client.addEnrolments(app: home.fleet, serials: [decomposed, composed]).added == 1)
            let longest = String(repeating: "\u{1F4F7}", count: 254) + "\u{E9}"
            let others = [
                longest, String(repeating: "S", count: 255), "CAM 1", "<script>", "a,b=c+d;\"\\#", "{serial}",
            ]
            _ = try await client.addEnrolments(app: home.fleet, serials: others)
            for serial in [composed, decomposed] + others {
                let camera = VirtualCamera(serial: "x")
                let made = try await client.provisionDevice(
                    FleetDeviceRequest(app: home.fleet, serial: serial, csr: try camera.certificateRequest()))
                #expect(made.rejection.reason == "", "\(serial): \(made.rejection)")
                guard made.rejection.reason == "" else { continue }
                let verified = try await home.verify(made.deviceCertificate, client)
                #expect(verified.status == 0, "\(serial): \(verified)")
                let bundle = try camera.bundle(
                    imageHash: [UInt8](repeating: 1, count: 32), certificate: Array(made.deviceCertificate),
                    at: SystemClock().now())
                let verdict = try await home.submit(bundle, app: home.fleet, client)
                #expect(verdict.outcome == "accepted", "\(serial): \(verdict)")
                let claimed = verdict.claims.first { $0.name == "device_serial" }?.text ?? ""
                #expect(Data(claimed.utf8) == Data(serial.utf8))
                #expect(try await provision(home, client, serial: serial, csr: try key()) == "already_provisioned")
            }
            for serial in [
                "", longest + "x", String(repeating: "x", count: 256), "CAM\u{0}1", "CAM\n", "\u{7F}", "\u{85}", "\u{202E}CAM",
            ] {
                #expect(
                    try await provision(home, client, serial: serial, csr: try key()) == "INVALID_ARGUMENT",
                    "\(serial.utf8.count)")
            }
            let listed = try await client.enrolments(app: home.fleet).enrolments.map { Array($0.serial.utf8) }
            let enrolled = ([composed, decomposed] + others).map { Array($0.utf8) }
            #expect(Set(listed) == Set(enrolled))
            await client.close()
            #expect(await daemon.stop().status == 0)
        }
    }
}
