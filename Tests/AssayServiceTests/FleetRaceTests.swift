import AssayAPI
import AssayCore
import AssayRPC
import AssayService
import AssayTesting
import Foundation
import SwiftProtobuf
import Testing

/// Equal requests to provision a device, at several daemons of one ledger.
@Suite("Equal requests to provision a device")
struct FleetRaceTests {
    private let fleet = FleetTests()

    /// Daemons that share a ledger and a CA.
    private func daemons(_ count: Int) async throws -> [ServiceHarness] {
        let (memory, authority) = (MemoryLedger(), StandInAuthority())
        var daemons: [ServiceHarness] = []
        for _ in 0..<count {
            daemons.append(try await FleetTests.harness(ledger: WatchedLedger(memory), authority: authority))
        }
        return daemons
    }

    /// The same answer, as it was given first or again.
    private func content(_ answer: Assay_V1_ProvisionDeviceResponse) -> Assay_V1_ProvisionDeviceResponse {
        var content = answer
        content.repeated = false
        return content
    }

    /// The question before which the other daemon provisions the device, and how many of its kind come first.
    private static let windows: [(WatchedLedger.Question, Int)] = [
        (.fleetDevice, 0), (.fleetDevice, 1), (.enrolments, 0), (.provision, 0),
    ]

    /// Lets `action` run before a question, after some of its kind.
    private func before(
        _ question: WatchedLedger.Question, after passed: Int, in ledger: WatchedLedger,
        _ action: @escaping @Sendable () async -> Void
    ) {
        guard passed > 0 else { return ledger.before(question, action) }
        ledger.before(question) { before(question, after: passed - 1, in: ledger, action) }
    }

    @Test(
        "A request that another daemon answers meanwhile gets that answer, whenever that is, also after a readmission",
        arguments: windows)
    func overtaken(_ question: WatchedLedger.Question, passed: Int) async throws {
        let daemons = try await daemons(2)
        _ = try await fleet.enrol(daemons[0], serials: ["CAM-1"])
        for round in 0..<3 {
            let csr = FleetTests.csr()
            let secret = round == 1 ? Data(SecureRandom.bytes(32)) : Data()
            let winner = SharedAnswer()
            before(question, after: passed, in: daemons[0].ledger) {
                let answer = try? await fleet.provision(daemons[1], "CAM-1", csr: csr, secret: secret, key: "\(round)")
                await winner.set(answer)
            }
            let late = try await fleet.provision(daemons[0], "CAM-1", csr: csr, secret: secret, key: "\(round)")
            let first = try #require(await winner.value)
            #expect(first.rejection.reason.isEmpty && !first.repeated)
            #expect(late.repeated && content(late) == first, "\(question) \(passed): \(late.rejection.reason)")
            // Under no key, another key, or with other fields, the number is provisioned.
            #expect(try await fleet.provision(daemons[0], "CAM-1", csr: csr).rejection.reason == "already_provisioned")
            let other = try await fleet.provision(daemons[1], "CAM-1", csr: csr, secret: secret, key: "other")
            #expect(other.rejection.reason == "already_provisioned")
            let changed = try await fleet.provision(daemons[1], "CAM-1", secret: secret, key: "\(round)")
            #expect(changed.rejection.reason == "idempotency_key_reused")
            _ = try await fleet.readmit(daemons[round % 2], "CAM-1")
        }
    }

    @Test("A request whose device is readmitted while it is answered gets the answer of its equal")
    func readmittedMeanwhile() async throws {
        let daemons = try await daemons(2)
        _ = try await fleet.enrol(daemons[0], serials: ["CAM-1"])
        let csr = FleetTests.csr()
        let winner = SharedAnswer()
        daemons[0].ledger.before(.provision) {
            await winner.set(try? await fleet.provision(daemons[1], "CAM-1", csr: csr, key: "1"))
            _ = try? await fleet.readmit(daemons[1], "CAM-1")
        }
        let late = try await fleet.provision(daemons[0], "CAM-1", csr: csr, key: "1")
        let first = try #require(await winner.value)
        #expect(late.repeated && content(late) == first, "\(late.rejection.reason)")
    }

    @Test("A token's device is provisioned once, and equal requests get its answer")
    func tokens() async throws {
        let daemons = try await daemons(2)
        let token = try #require(try await fleet.enrol(daemons[0], tokens: 1).tokens.first)
        let csr = FleetTests.csr()
        let winner = SharedAnswer()
        before(.fleetDevice, after: 1, in: daemons[0].ledger) {
            await winner.set(try? await fleet.provision(daemons[1], "CAM-1", csr: csr, token: token, key: "1"))
        }
        let late = try await fleet.provision(daemons[0], "CAM-1", csr: csr, token: token, key: "1")
        let first = try #require(await winner.value)
        #expect(late.repeated && content(late) == first, "\(late.rejection.reason)")
    }

    @Test("64 equal requests race at three daemons, before and after readmissions: all get one answer")
    func race() async throws {
        let daemons = try await daemons(3)
        _ = try await fleet.enrol(daemons[0], serials: ["CAM-1"])
        for round in 0..<8 {
            let csr = FleetTests.csr()
            let answers = try await AssayServiceTests.race(64) { number in
                try await fleet.provision(daemons[number % 3], "CAM-1", csr: csr, key: "\(round)")
            }
            #expect(Set(answers.map { content($0) }).count == 1 && answers.allSatisfy(\.rejection.reason.isEmpty))
            #expect(answers.count { !$0.repeated } == 1)
            _ = try await fleet.readmit(daemons[round % 3], "CAM-1")
        }
    }
}

private actor SharedAnswer {
    private(set) var value: Assay_V1_ProvisionDeviceResponse?
    func set(_ answer: Assay_V1_ProvisionDeviceResponse?) { value = answer }
}
