import AssayAPI
import AssayCore
import AssayService
import AssayTesting
import Testing

@Suite("Devices of a subject")
struct SubjectLimitTests {
    private func harness(_ limit: UInt32) async throws -> ServiceHarness {
        try await ServiceHarness([try .testing(.camera, devicesPerSubject: limit), try .testing(.notes)])
    }

    private func register(_ harness: ServiceHarness, subject: String, app: AppID = .camera) async throws -> Assay_V1_Verdict {
        var request = try Handset(app: app).registration(try await harness.challenge(.register, app: app))
        request.subject = Array(subject.utf8)
        return try await harness.verify(request)
    }

    @Test("64 requests race to register one subject: as many are accepted as the app allows")
    func racers() async throws {
        let harness = try await harness(3)
        let verdicts = try await race(64) { _ in try await register(harness, subject: "anna") }
        #expect(verdicts.count { $0.isAccepted } == 3)
        let refused = verdicts.filter { $0.rejection == .tooManyDevices }
        #expect(refused.count == 61 && refused.allSatisfy { $0.check == "commit" && $0.retry == .contactOperator })
        #expect(try await harness.ledger.status().devices == 3 && harness.ledger.memory.auditLog.count == 3)
    }

    @Test("are counted for each subject of each app, and not without a subject")
    func apart() async throws {
        let harness = try await harness(1)
        #expect(try await register(harness, subject: "anna").isAccepted)
        #expect(try await register(harness, subject: "anna").rejection == .tooManyDevices)
        #expect(try await register(harness, subject: "berta").isAccepted)
        for _ in 0..<2 {
            #expect(try await register(harness, subject: "").isAccepted)
            #expect(try await register(harness, subject: "anna", app: .notes).isAccepted, "an app without a limit")
        }
    }

    @Test("that are refused have spent nothing")
    func nothingSpent() async throws {
        let harness = try await harness(1)
        #expect(try await register(harness, subject: "anna").isAccepted)
        let challenge = try await harness.challenge(.register)
        var request = try Handset().registration(challenge)
        request.subject = Array("anna".utf8)
        #expect(try await harness.verify(request).rejection == .tooManyDevices)
        request.subject = Array("berta".utf8)
        #expect(try await harness.verify(request).isAccepted)
    }
}
