import AssayAPI
import AssayClient
import AssayCore
import AssaySQLite
import AssaySimulator
import Foundation
import Synchronization
import Testing

@testable import DaemonTesting

extension ProcessTests {
    /// Races for one serial number, and daemons that are killed while they issue.
    @Suite("Issuing under races and kills")
    final class IssuingKillTests: Sendable {
        /// The certificates that clients received, and the requests that have no answer.
        private struct Seen {
            /// DER of certificates by phones, with the app.
            var issued: [(app: AppID, serial: [UInt8], der: Data)] = []
            /// Serial numbers of cameras and what each got.
            var cameras: [(request: FleetDeviceRequest, answer: Assay_V1_ProvisionDeviceResponse)] = []
            /// Requests whose answer is lost.
            var lost: [FleetDeviceRequest] = []
            var lostIssues: [IssuanceRequest] = []
            var count = 0
        }

        private let seen = Mutex(Seen())

        @Test("Of two parallel requests to provision one serial number one wins, and of eight for one token")
        func races() async throws {
            let home = try await ProvisioningHome()
            let daemon = try await TestDaemon(home.home)
            let client = try await daemon.connect()
            let serials = (0..<20).map { "CAM-\($0)" }
            _ = try await client.addEnrolments(app: home.fleet, serials: serials)
            let expiry = SystemClock().now().adding(milliseconds: 3_600_000)
            let tokens = try await client.addEnrolments(app: home.fleet, tokens: 5, expiry: expiry).tokens
            let camera = { VirtualCamera(serial: "x") }
            func race(_ requests: [FleetDeviceRequest]) async throws -> [Assay_V1_ProvisionDeviceResponse] {
                try await withThrowingTaskGroup(of: Assay_V1_ProvisionDeviceResponse.self) { group in
                    for request in requests {
                        group.addTask { try await client.provisionDevice(request, timeout: TestPhone.patience) }
                    }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
            }
            for serial in serials {
                let requests = try (0..<2).map { _ in
                    FleetDeviceRequest(app: home.fleet, serial: serial, csr: try camera().certificateRequest())
                }
                let answers = try await race(requests)
                #expect(answers.map(\.rejection.reason).sorted() == ["", "already_provisioned"], "\(serial)")
            }
            for token in tokens {
                let requests = try (0..<8).map { number in
                    FleetDeviceRequest(
                        app: home.fleet, serial: "\(token.suffix(6))-\(number)", csr: try camera().certificateRequest(),
                        token: token)
                }
                let answers = try await race(requests)
                #expect(answers.map(\.rejection.reason).sorted() == [""] + [String](repeating: "not_enrolled", count: 7))
            }
            // Equal requests under one idempotency key get one answer.
            _ = try await client.addEnrolments(app: home.fleet, serials: ["SAME"])
            let request = FleetDeviceRequest(
                app: home.fleet, serial: "SAME", csr: try camera().certificateRequest(), idempotencyKey: [1])
            let answers = try await race([FleetDeviceRequest](repeating: request, count: 8))
            #expect(answers.allSatisfy { $0.rejection.reason == "" } && Set(answers.map(\.deviceCertificate)).count == 1)
            #expect(Set(answers.map(\.deviceSecret)).count == 1 && answers.count { !$0.repeated } == 1)
            await client.close()
            #expect(await daemon.stop().status == 0)
        }

        @Test(
            "Five kills while certificates are issued lose no certificate of a client, and use no number or permission twice")
        func kills() async throws {
            let home = try await ProvisioningHome()
            for round in 0..<5 {
                let daemon = try await TestDaemon(home.home)
                let client = try await daemon.connect()
                try await check(client, home)
                seen.withLock { $0.count = 0 }
                let limit = 15 + 7 * round
                await withTaskGroup(of: Void.self) { group in
                    for worker in 0..<6 {
                        group.addTask {
                            await self.load(client, home, "\(round)-\(worker)") {
                                if $0 == limit { daemon.child.signal(SIGKILL) }
                            }
                        }
                    }
                }
                #expect(await daemon.child.ending().status == 128 + SIGKILL)
                await client.close()
            }
            let daemon = try await TestDaemon(home.home)
            let client = try await daemon.connect()
            try await check(client, home)
            let known = seen.withLock { $0 }
            #expect(known.issued.count + known.cameras.count >= 5 * 15)
            #expect(known.issued.count > 5 && known.cameras.count > 5)
            try await compare(try await records(client, home), home, client)
            await client.close()
            #expect(await daemon.stop().status == 0)
            let audit = try await Child.run("assayd", ["audit", "verify", home.folder.file("ledger.sqlite")])
            #expect(audit.status == 0, "\(audit)")
        }

        /// Phones and cameras that get certificates, until the daemon is gone.
        private func load(
            _ client: AssayClient, _ home: ProvisioningHome, _ name: String, _ afterAnswer: @Sendable (Int) -> Void
        ) async {
            do {
                for number in 0... {
                    let camera = VirtualCamera(serial: "CAM-\(name)-\(number)")
                    _ = try await client.addEnrolments(app: home.fleet, serials: [camera.serial], timeout: TestPhone.patience)
                    let request = FleetDeviceRequest(
                        app: home.fleet, serial: camera.serial, csr: try camera.certificateRequest(),
                        idempotencyKey: Array(camera.serial.utf8))
                    do {
                        let answer = try await client.provisionDevice(request, timeout: TestPhone.patience)
                        #expect(answer.rejection.reason == "")
                        afterAnswer(
                            seen.withLock {
                                $0.cameras.append((request, answer))
                                $0.count += 1
                                return $0.count
                            })
                    } catch {
                        seen.withLock { $0.lost.append(request) }
                        throw error
                    }
                    let key = VirtualCamera(serial: "vouched")
                    var issuance = try await home.request(home.home.phone(), try key.certificateRequest(), client)
                    issuance.idempotencyKey = SecureRandom.bytes(16)
                    do {
                        let answer = try await client.issue(issuance, timeout: TestPhone.patience)
                        #expect(answer.verdict.outcome == "accepted")
                        afterAnswer(
                            seen.withLock {
                                $0.issued.append(
                                    (home.photos, Array(answer.certificate.serial), answer.certificate.certificate))
                                $0.count += 1
                                return $0.count
                            })
                    } catch {
                        seen.withLock { $0.lostIssues.append(issuance) }
                        throw error
                    }
                }
            } catch is AssayError {
                // The daemon is gone.
            } catch {
                Issue.record(error)
            }
        }

        /// Asks again for what was lost, and for what was answered.
        private func check(_ client: AssayClient, _ home: ProvisioningHome) async throws {
            let known = seen.withLock { seen in
                defer { (seen.lost, seen.lostIssues) = ([], []) }
                return seen
            }
            for (app, serial, der) in known.issued {
                #expect(try await client.certificate(serial: serial, app: app, timeout: TestPhone.patience).certificate == der)
            }
            for (request, answer) in known.cameras {
                var again = try await client.provisionDevice(request, timeout: TestPhone.patience)
                #expect(again.repeated)
                again.repeated = false
                #expect(again == answer)
            }
            for request in known.lost {
                let answer = try await client.provisionDevice(request, timeout: TestPhone.patience)
                #expect(answer.rejection.reason == "", "the permission is unused, or the answer is the one that was lost")
                seen.withLock { $0.cameras.append((request, answer.with { $0.repeated = false })) }
            }
            for request in known.lostIssues {
                let answer = try await client.issue(request, timeout: TestPhone.patience)
                #expect(
                    answer.verdict.outcome == "accepted", "the challenge is unspent, or the answer is the one that was lost")
                seen.withLock {
                    $0.issued.append((home.photos, Array(answer.certificate.serial), answer.certificate.certificate))
                }
            }
        }

        /// All certificates on record.
        private func records(_ client: AssayClient, _ home: ProvisioningHome) async throws -> [Assay_V1_DeviceCertificate] {
            var records: [Assay_V1_DeviceCertificate] = []
            for app in [home.photos, home.fleet] {
                var token: [UInt8] = []
                repeat {
                    let page = try await client.certificates(
                        app: app, pageSize: 50, pageToken: token, timeout: TestPhone.patience)
                    records += page.certificates
                    token = Array(page.nextPageToken)
                } while !token.isEmpty
            }
            return records
        }

        /// Compares the registry with the clients' answers.
        private func compare(
            _ records: [Assay_V1_DeviceCertificate], _ home: ProvisioningHome, _ client: AssayClient
        ) async throws {
            let known = seen.withLock { $0 }
            let received = known.issued.map(\.der) + known.cameras.map(\.answer.deviceCertificate)
            #expect(Set(records.map(\.certificate)).isSuperset(of: received))
            #expect(records.count == received.count, "each request was answered in the end, each with one certificate")
            #expect(Set(received).count == received.count)
            #expect(Set(records.map(\.serial)).count == records.count)
            #expect(Set(records.map(\.keyID)).count == records.count)
            var enrolments: [Assay_V1_Enrolment] = []
            var token: [UInt8] = []
            repeat {
                let page = try await client.enrolments(app: home.fleet, pageToken: token, timeout: TestPhone.patience)
                enrolments += page.enrolments
                token = Array(page.nextPageToken)
            } while !token.isEmpty
            let users = enrolments.map(\.usedBy).filter { !$0.isEmpty }
            #expect(Set(users).count == users.count && Set(users) == Set(known.cameras.map(\.answer.deviceID)))
        }
    }
}

extension Assay_V1_ProvisionDeviceResponse {
    fileprivate func with(_ change: (inout Self) -> Void) -> Self {
        var copy = self
        change(&copy)
        return copy
    }
}
