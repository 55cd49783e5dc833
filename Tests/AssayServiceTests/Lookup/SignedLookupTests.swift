import AssayAPI
import AssayCore
import AssayRPC
import AssayTesting
import Foundation
import SwiftProtobuf
import Synchronization
import Testing

@testable import AssayService

@Suite("Signed answers to look-ups")
struct SignedLookupTests {
    /// Refuses one audience, signs with the length of what it was given, and tells what that was.
    private final class StandInSigner: AnswerSigner {
        let answers = Mutex<[AnswerToSign]>([])
        let problem: ResultProblem?

        init(problem: ResultProblem? = nil) { self.problem = problem }

        func check(_ requests: [ResultRequest], of profile: AppProfile) throws(RPCError) {
            guard requests.allSatisfy({ $0.audience == "https://archive.test" }) else {
                throw RPCError(.permissionDenied, "not this audience", reason: "result_audience_not_allowed")
            }
        }

        func sign(_ answer: AnswerToSign, for requests: [ResultRequest], of profile: AppProfile) async -> [SignedResult] {
            answers.withLock { $0.append(answer) }
            return requests.map { request in
                let token = request.shape.isBinary ? answer.message : answer.json()
                return SignedResult(
                    shape: request.shape, audience: request.audience,
                    outcome: problem.map { .refused($0) }
                        ?? .signed(token: token, identifier: [7], expiresAt: answer.time.adding(milliseconds: 1000)))
            }
        }
    }

    private static let results: [Assay_V1_ResultRequest] = [.plainJws, .plainCose].map { shape in
        .with { ($0.shape, $0.audience) = (shape, "https://archive.test") }
    }

    private func find(
        _ harness: ServiceHarness, _ results: [Assay_V1_ResultRequest] = results
    ) async throws -> Assay_V1_FindVerdictsResponse {
        try await harness.call(
            API.findVerdicts,
            .with { ($0.app, $0.payloadSha256, $0.results) = (AppID.camera.text, Data(LookupTests.hash), results) })
    }

    private func harness(
        _ signer: StandInSigner?, ledger: WatchedLedger = WatchedLedger()
    ) async throws -> ServiceHarness {
        try await ServiceHarness([.testing(.camera, lookup: LookupRule())], ledger: ledger, answerSigner: signer)
    }

    @Test("What is signed is the answer without its results, as JSON and as protobuf, also where nothing is found")
    func signed() async throws {
        let signer = StandInSigner()
        let harness = try await harness(signer)
        for isFound in [false, true] {
            if isFound {
                var (handset, _) = try await harness.enrol()
                _ = try await harness.verify(
                    try handset.assertion(try await harness.challenge(.assert), payload: LookupTests.photo))
            }
            var answer = try await find(harness)
            let results = answer.results
            #expect(answer.found == isFound && results.map(\.shape) == [.plainJws, .plainCose])
            answer.results = []
            #expect(try Assay_V1_FindVerdictsResponse(serializedBytes: Array(results[1].binary)) == answer)
            #expect(try Assay_V1_FindVerdictsResponse(jsonString: results[0].text) == answer)
            #expect(results.allSatisfy { $0.expiresAtUnixMs == answer.answeredAtUnixMs + 1000 && Array($0.id) == [7] })
            let given = try #require(signer.answers.withLock { $0.last })
            #expect(given.type == "assay.v1.FindVerdictsResponse" && given.time == harness.clock.now())
            #expect(given.simulated == isFound, "the phone's authority is a test root")
        }
    }

    @Test("What stands in the way of a signature is in the answer, and the answer holds")
    func problem() async throws {
        let answer = try await find(try await harness(StandInSigner(problem: .keyUnavailable)))
        #expect(!answer.found && !answer.note.isEmpty)
        #expect(answer.results.map(\.problem.code) == ["result_key_unavailable", "result_key_unavailable"])
        #expect(answer.results.allSatisfy { !$0.problem.sentence.isEmpty && $0.expiresAtUnixMs == 0 })
    }

    @Test("What the app does not allow, and an app without results, are refused before anything is read")
    func refused() async throws {
        let ledger = WatchedLedger()
        let other: [Assay_V1_ResultRequest] = [.with { ($0.shape, $0.audience) = (.plainJws, "https://elsewhere.test") }]
        let signing = try await harness(StandInSigner(), ledger: ledger)
        await #expect(throws: RPCError(.permissionDenied, "not this audience", reason: "result_audience_not_allowed")) {
            _ = try await find(signing, other)
        }
        let plain = try await harness(nil, ledger: ledger)
        do {
            _ = try await find(plain)
            Issue.record("an answer was signed by no one")
        } catch let error as RPCError {
            #expect(error.code == .failedPrecondition && error.reason == "results_not_configured")
        }
        #expect(ledger.asked(.payload) == 0)
        #expect(try await !find(plain, []).found)
    }
}
