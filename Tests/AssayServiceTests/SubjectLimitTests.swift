import AssayAPI
import AssayCore
import AssayService
import AssayTesting
import Testing

@Suite("Devices of a subject")
struct SubjectLimitTests {
    private func house(_ limit: UInt32) async throws -> House {
        try await House([try .testing(.camera, devicesPerSubject: limit), try .testing(.notes)])
    }

    private func register(_ house: House, subject: String, app: AppID = .camera) async throws -> Assay_V1_Verdict {
        var request = try Handset(app: app).registration(try await house.challenge(.register, app: app))
        request.subject = Array(subject.utf8)
        return try await house.verify(request)
    }

    @Test("are as many as the app allows, whoever of 64 comes first")
    func racers() async throws {
        let house = try await house(3)
        let verdicts = try await race(64) { _ in try await register(house, subject: "anna") }
        #expect(verdicts.count { $0.isAccepted } == 3)
        let refused = verdicts.filter { $0.rejection == .tooManyDevices }
        #expect(refused.count == 61 && refused.allSatisfy { $0.check == "commit" && $0.retry == .contactOperator })
        #expect(try await house.ledger.status().devices == 3 && house.ledger.memory.auditLog.count == 3)
    }

    @Test("are counted for each subject of each app, and not where nobody names one")
    func apart() async throws {
        let house = try await house(1)
        #expect(try await register(house, subject: "anna").isAccepted)
        #expect(try await register(house, subject: "anna").rejection == .tooManyDevices)
        #expect(try await register(house, subject: "berta").isAccepted)
        for _ in 0..<2 {
            #expect(try await register(house, subject: "").isAccepted)
            #expect(try await register(house, subject: "anna", app: .notes).isAccepted, "an app without a limit")
        }
    }

    @Test("that are refused have spent nothing")
    func nothingSpent() async throws {
        let house = try await house(1)
        #expect(try await register(house, subject: "anna").isAccepted)
        let challenge = try await house.challenge(.register)
        var request = try Handset().registration(challenge)
        request.subject = Array("anna".utf8)
        #expect(try await house.verify(request).rejection == .tooManyDevices)
        request.subject = Array("berta".utf8)
        #expect(try await house.verify(request).isAccepted)
    }
}
