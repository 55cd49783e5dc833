import AssayAPI
import AssayCore
import AssayRPC
import AssayService
import AssayTesting
import Foundation
import SwiftProtobuf
import Testing

@Suite("Changes in the audit log")
struct AuditChangesTests {
    private static func target(_ fill: (inout Assay_V1_BlockTarget) -> Void) -> Assay_V1_BlockTarget { .with(fill) }

    private func changes(_ harness: ServiceHarness) -> [AuditChange] { harness.ledger.memory.auditChanges.map(\.change) }

    @Test("a recorded change names the caller, the reason and the target, and no subject in clear")
    func devices() async throws {
        let harness = try await ServiceHarness()
        let subject = Array("anna@example.org".utf8)
        let (_, device) = try await harness.enrol(subject: subject)
        let bySubject = Self.target { $0.subject = Data(subject) }
        let _: Assay_V1_BlockResponse = try await harness.call(
            API.block,
            Assay_V1_BlockRequest.with { ($0.app, $0.target, $0.reason) = ("camera", bySubject, "case 12") })
        let _: Assay_V1_UnblockResponse = try await harness.call(
            API.unblock, Assay_V1_UnblockRequest.with { ($0.app, $0.target) = ("camera", bySubject) })
        let _: Assay_V1_ForgetDeviceResponse = try await harness.call(
            API.forgetDevice,
            Assay_V1_ForgetDeviceRequest.with {
                ($0.app, $0.deviceID, $0.reason) = ("camera", Data(device.bytes), "asked for")
            })
        let found = changes(harness)
        let (kinds, reasons) = (found.map(\.kind), found.map(\.reason))
        #expect(kinds == [.block, .unblock, .forget])
        #expect(found.allSatisfy { $0.origin == .caller(Caller.demo.name) && $0.app == .camera })
        #expect(reasons == ["case 12", "", "asked for"])
        #expect(found[0].count == 1 && !found[0].flag && found[0].target == found[1].target && found[2].device == device)
        guard case .subject(let hash)? = found[0].target else {
            Issue.record("the block of a subject names none")
            return
        }
        #expect(hash.count == 32)
        for row in try await harness.ledger.audit(from: 1, limit: 100).rows {
            #expect(!row.record.contains(subject), "record \(row.number)")
        }
        #expect(harness.ledger.memory.auditChanges.allSatisfy { $0.time == ServiceHarness.opening })
    }

    @Test("the reason for forgetting a device has at most 256 bytes")
    func reason() async throws {
        let harness = try await ServiceHarness()
        let (_, device) = try await harness.enrol()
        let error = await #expect(throws: RPCError.self) {
            let _: Assay_V1_ForgetDeviceResponse = try await harness.call(
                API.forgetDevice,
                Assay_V1_ForgetDeviceRequest.with {
                    ($0.app, $0.deviceID, $0.reason) = ("camera", Data(device.bytes), String(repeating: "r", count: 257))
                })
        }
        #expect(error?.code == .invalidArgument && error?.message.contains("reason") == true)
        #expect(try await harness.ledger.device(device) != nil && changes(harness).isEmpty)
    }

    @Test("changes are found by app, device and caller, and changes of all apps are shown only to callers of all apps")
    func reading() async throws {
        let watcher = Caller(name: "watcher", roles: [.observe], apps: [.camera])
        let harness = try await ServiceHarness(callers: CallerDirectory(byUserID: [7: watcher], loopback: CallerDirectory.demo))
        let (_, device) = try await harness.enrol()
        _ = try await harness.ledger.block(
            .device(device), ChangeContext(.caller("operator"), at: ServiceHarness.opening, reason: "r"))
        _ = try await harness.ledger.block(
            .key(DeviceKey(app: .notes, keyID: [1])),
            ChangeContext(.caller("operator"), at: ServiceHarness.opening, reason: "r"))
        try await harness.ledger.record(.configurationLoad([], version: "1", by: .signal), at: ServiceHarness.opening)
        func numbers(
            _ peer: RPCPeer = ServiceHarness.loopback, _ fill: (inout Assay_V1_ReadAuditRequest) -> Void = { _ in }
        ) async throws -> [Int64] {
            let response: Assay_V1_ReadAuditResponse = try await harness.call(
                API.readAudit, Assay_V1_ReadAuditRequest.with(fill), peer: peer)
            return response.rows.map(\.number)
        }
        #expect(try await numbers() == [1, 2, 3, 4])
        #expect(try await numbers { $0.caller = "operator" } == [2, 3])
        #expect(try await numbers { $0.app = "camera" } == [1, 2])
        #expect(try await numbers { $0.deviceID = Data(device.bytes) } == [1, 2])
        #expect(try await numbers(.unix(userID: 7, groupID: 1, processID: 1)) == [1, 2])
    }

    @Test("changes that the ledger cannot take are kept, in order, until it can")
    func kept() async throws {
        let (harness, book) = (try await ServiceHarness(), LogBook())
        let recorder = ChangeRecorder(ledger: harness.ledger, logger: book.logger)
        let loads = (0..<3).map { AuditChange.configurationLoad([], version: "\($0)", by: .signal) }
        harness.ledger.fail(.record, with: .unavailable("disk full"))
        await recorder.record(loads[0], at: ServiceHarness.opening)
        await recorder.record(loads[1], at: ServiceHarness.opening)
        #expect(book.lines.count == 2 && book.lines.allSatisfy { $0.hasPrefix("warning: ") && $0.contains("disk full") })
        await #expect(throws: LedgerError.self) { try await recorder.perform() }
        try await recorder.conclude()
        #expect(book.lines.count == 4 && book.lines[3].hasPrefix("error: "), "what never comes into the log is said")
        harness.ledger.fail(.record, with: nil)
        await recorder.record(loads[2], at: ServiceHarness.opening)
        try await recorder.perform()
        #expect(changes(harness) == loads && book.lines.count == 4)
    }

    @Test("changes that come together are recorded once each")
    func together() async throws {
        let harness = try await ServiceHarness()
        let recorder = ChangeRecorder(ledger: harness.ledger, logger: ServiceHarness.logger)
        await withTaskGroup { group in
            for number in 0..<50 {
                group.addTask {
                    await recorder.record(.configurationLoad([], version: "\(number)", by: .signal), at: ServiceHarness.opening)
                }
            }
        }
        #expect(Set(changes(harness).map(\.name)).count == 50 && changes(harness).count == 50)
    }
}
