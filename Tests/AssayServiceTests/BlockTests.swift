import AssayAPI
import AssayCore
import AssayRPC
import AssayService
import AssaySimulator
import AssayTesting
import Foundation
import SwiftProtobuf
import Testing

@Suite("Blocks")
struct BlockTests {
    private static let anna = Array("anna".utf8)

    private func block(
        _ harness: ServiceHarness, app: AppID = .camera, _ target: (inout Assay_V1_BlockTarget) -> Void
    ) async throws -> Assay_V1_BlockResponse {
        try await harness.call(
            API.block,
            Assay_V1_BlockRequest.with {
                $0.app = app.text
                target(&$0.target)
                $0.reason = "stolen"
            })
    }

    private func unblock(
        _ harness: ServiceHarness, app: AppID = .camera, _ target: (inout Assay_V1_BlockTarget) -> Void
    ) async throws -> Assay_V1_UnblockResponse {
        try await harness.call(
            API.unblock,
            Assay_V1_UnblockRequest.with {
                $0.app = app.text
                target(&$0.target)
            })
    }

    private func register(
        _ harness: ServiceHarness, _ handset: Handset, subject: [UInt8] = [], key: [UInt8] = []
    ) async throws -> Assay_V1_Verdict {
        var request = try handset.registration(try await harness.challenge(.register, app: handset.app))
        request.subject = subject
        request.idempotencyKey = key
        return try await harness.verify(request)
    }

    @Test("of a device, its subject or its key refuse its assertions until they are lifted", arguments: BlockKind.allCases)
    func assertions(_ kind: BlockKind) async throws {
        let harness = try await ServiceHarness()
        var (handset, device) = try await harness.enrol(subject: Self.anna)
        let keyID = handset.key.keyID
        func target(_ target: inout Assay_V1_BlockTarget) {
            switch kind {
            case .device: target.deviceID = Data(device.bytes)
            case .subject: target.subject = Data(Self.anna)
            case .key: target.keyID = Data(keyID)
            }
        }
        #expect(try await harness.assert(&handset).isAccepted)
        let set = try await block(harness, target)
        #expect(set.devices == 1 && !set.wasBlocked)
        let verdict = try await harness.assert(&handset)
        #expect(verdict.rejection == .deviceBlocked && verdict.check == "registry" && Array(verdict.deviceID) == device.bytes)
        #expect(!verdict.detail.contains("stolen"), "the reason is for operators")
        #expect(
            try await harness.ledger.device(device)?.blocks == [.init(kind, reason: "stolen", since: ServiceHarness.opening)])
        #expect(try await block(harness, target).wasBlocked)
        let lifted = try await unblock(harness, target)
        #expect(lifted.devices == 1 && lifted.wasBlocked && lifted.stillBlocked == 0)
        #expect(try await harness.assert(&handset).isAccepted)
        #expect(try await !unblock(harness, target).wasBlocked)
    }

    @Test("A blocked subject cannot register, and other subjects can")
    func subjectRegistrations() async throws {
        let harness = try await ServiceHarness()
        let change = try await block(harness) { $0.subject = Data(Self.anna) }
        #expect(change.devices == 0 && !change.wasBlocked)
        let handset = Handset()
        let verdict = try await register(harness, handset, subject: Self.anna)
        #expect(verdict.rejection == .deviceBlocked && verdict.check == "registry" && verdict.deviceID.isEmpty)
        #expect(try await register(harness, Handset(), subject: Array("berta".utf8)).isAccepted)
        #expect(try await register(harness, Handset()).isAccepted)
        #expect(try await register(harness, Handset(app: .notes), subject: Self.anna).isAccepted, "of another app")
        #expect(try await unblock(harness) { $0.subject = Data(Self.anna) }.wasBlocked)
        #expect(try await register(harness, handset, subject: Self.anna).isAccepted)
    }

    @Test("of a key refuse its registration before it was ever seen")
    func keyRegistrations() async throws {
        let harness = try await ServiceHarness()
        let handset = Handset()
        _ = try await block(harness) { $0.keyID = Data(handset.key.keyID) }
        #expect(try await register(harness, handset).rejection == .deviceBlocked)
        #expect(try await register(harness, Handset()).isAccepted)
        _ = try await unblock(harness) { $0.keyID = Data(handset.key.keyID) }
        #expect(try await register(harness, handset).isAccepted)
    }

    @Test("that are set while evidence is looked at refuse it in the commit")
    func meanwhile() async throws {
        let harness = try await ServiceHarness()
        var (handset, device) = try await harness.enrol(subject: Self.anna)
        let stored = try #require(try await harness.ledger.device(device))
        let targets = [BlockKind.subject, .key].compactMap { stored.blockTarget($0) }
        for target in targets {
            harness.ledger.before(.commit) { [memory = harness.ledger.memory] in
                _ = try? await memory.block(target, reason: "stolen", at: ServiceHarness.opening)
            }
            let verdict = try await harness.assert(&handset)
            #expect(verdict.rejection == .deviceBlocked && verdict.check == "commit")
            _ = try await harness.ledger.unblock(target)
        }
    }

    @Test("of a subject or key void the stored verdict of the registration", arguments: [BlockKind.subject, .key])
    func repetition(_ kind: BlockKind) async throws {
        let harness = try await ServiceHarness()
        let handset = Handset()
        var request = try handset.registration(try await harness.challenge(.register))
        (request.subject, request.idempotencyKey) = (Self.anna, [1])
        #expect(try await harness.verify(request).isAccepted)
        #expect(try await harness.verify(request).repeated)
        _ = try await block(harness) {
            if kind == .key { $0.keyID = Data(handset.key.keyID) } else { $0.subject = Data(Self.anna) }
        }
        let verdict = try await harness.verify(request)
        #expect(verdict.rejection == .deviceBlocked && !verdict.repeated)
    }

    @Test("cost an assertion no question more")
    func hotPath() async throws {
        let harness = try await ServiceHarness()
        var (handset, _) = try await harness.enrol(subject: Self.anna)
        let questions: [WatchedLedger.Question] = [.commit, .device, .list, .block, .verdict, .subject]
        let before = questions.map(harness.ledger.asked)
        #expect(try await harness.assert(&handset).isAccepted)
        #expect(zip(questions.map(harness.ledger.asked), before).map { $0 - $1 } == [1, 1, 0, 0, 0, 0])
        // Nor where the subject is named for which the device was registered: the record says whether it is blocked.
        var request = try handset.assertion(try await harness.challenge(.assert))
        request.subject = Self.anna
        #expect(try await harness.verify(request).isAccepted)
        let asked = zip(questions.map(harness.ledger.asked), before).map { $0 - $1 }
        #expect(asked == [2, 2, 0, 0, 0, 0])
    }

    @Test("of another app's device are not there to be set")
    func otherApp() async throws {
        let harness = try await ServiceHarness()
        var (handset, device) = try await harness.enrol()
        for id in [device, .random()] {
            let set = await #expect(throws: RPCError.self) {
                try await block(harness, app: .notes) { $0.deviceID = Data(id.bytes) }
            }
            let lifted = await #expect(throws: RPCError.self) {
                try await unblock(harness, app: .notes) { $0.deviceID = Data(id.bytes) }
            }
            #expect(set?.code == .notFound && lifted?.code == .notFound && set?.reason == "unknown_device")
        }
        #expect(try await block(harness, app: .notes) { $0.keyID = Data(handset.key.keyID) }.devices == 0)
        #expect(try await harness.assert(&handset).isAccepted)
    }

    @Test("are asked for by something of the right size, with a reason")
    func bounds() async throws {
        let harness = try await ServiceHarness()
        let requests: [(String, (inout Assay_V1_BlockRequest) -> Void)] = [
            ("app", { $0.app = "?" }), ("target", { $0.clearTarget() }),
            ("target.device_id", { $0.target.deviceID = Data(count: 15) }),
            ("target.subject", { $0.target.subject = Data() }), ("target.subject", { $0.target.subject = Data(count: 257) }),
            ("target.key_id", { $0.target.keyID = Data() }), ("target.key_id", { $0.target.keyID = Data(count: 65) }),
            ("reason", { $0.reason = "" }), ("reason", { $0.reason = String(repeating: "é", count: 129) }),
        ]
        for (field, change) in requests {
            var request = Assay_V1_BlockRequest.with { ($0.app, $0.target.keyID, $0.reason) = ("camera", Data([1]), "r") }
            change(&request)
            let error = await #expect(throws: RPCError.self) {
                try await harness.call(
                    API.block, request)
            }
            #expect(error?.code == .invalidArgument && error?.message.hasPrefix(field + " ") == true, "\(field)")
        }
        #expect(harness.ledger.asked(.block) == 0)
    }

    @Test("cannot be set in an outage")
    func outage() async throws {
        let harness = try await ServiceHarness()
        harness.ledger.fail(.block, with: .unavailable("test"))
        let error = await #expect(throws: RPCError.self) { try await block(harness) { $0.keyID = Data([1]) } }
        #expect(error?.code == .unavailable)
    }
}
