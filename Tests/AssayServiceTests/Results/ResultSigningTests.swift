import AssayAPI
import AssayCertificates
import AssayCore
import AssayRPC
import AssayResults
import AssaySigning
import AssaySimulator
import AssayTesting
import Foundation
import Logging
import SwiftProtobuf
import Synchronization
import Testing

@testable import AssayService

/// Phones of these tests are simulated devices, unless a test says otherwise: their results are of the issuer for such.
@Suite("Signed results of verdicts")
struct ResultSigningTests {
    private let issuers = ResultIssuers()

    @Test("An accepted verdict has the results that were asked for, in their order, and each verifies by the published keys")
    func accepted() async throws {
        let harness = try await ServiceHarness.signing(issuers)
        let shapes: [ResultShape] = [.plainCOSE, .earJWT, .session, .earCWT]
        let nonce = SecureRandom.bytes(16)
        var verdict = try await harness.verify(try await harness.registration(asking: shapes, nonce: nonce))
        try #require(verdict.isAccepted && verdict.results.count == 4)
        for (result, shape) in zip(verdict.results, shapes) {
            let read = try await ResultIssuers.read(result, from: harness, nonce: nonce)
            #expect(read.shape == shape && read.isSimulated)
            #expect(read.issuedAt == ServiceHarness.opening && read.expiresAt.unixMilliseconds == result.expiresAtUnixMs)
            #expect(result.audience == ResultIssuers.audience && result.id.count == 16)
            #expect(harness.results.signed(shape) == 1)
        }
        #expect(issuers.simulatedSigner.signatures == 4 && issuers.signer.signatures == 0 && harness.results.timed == 4)

        // The verdict that a plain result signs is the one beside it.
        let plain = try await ResultIssuers.read(verdict.results[0], from: harness)
        verdict.results = []
        #expect(try Assay_V1_Verdict(serializedBytes: #require(plain.content)) == verdict)
    }

    @Test("A verdict says what it does not say, and so does its result")
    func limits() async throws {
        let harness = try await ServiceHarness.signing(issuers)
        let verdict = try await harness.verify(try await harness.registration(asking: [.plainJWS]))
        #expect(verdict.limits == [.notBoundToPayload, .relayNotExcluded, .systemNotVerified])
        let read = try await ResultIssuers.read(verdict.results[0], from: harness)
        guard case .object(let details)? = read.claims["assay".utf8], case .array(let limits)? = details["limits".utf8] else {
            Issue.record("the token names no limits")
            return
        }
        let names: [JSONValue] = verdict.limits.compactMap { VerdictLimit($0) }.map { .string(Array($0.rawValue.utf8)) }
        #expect(limits == names)
    }

    @Test("A real device's result is of the issuer of real devices, and verifies by no key of the other one")
    func realDevice() async throws {
        let own = try TrustAnchor(name: "own root", pem: Handset.authority.rootPEM, simulated: false)
        let profile = try AppProfile.testing(
            .camera, anchors: [own], acceptsSimulated: false, results: ResultIssuers.composer())
        let harness = try await ServiceHarness([profile], resultKeys: try issuers.keys())
        let verdict = try await harness.verify(try await harness.registration(asking: [.earJWT]))
        let result = try #require(verdict.results.first)
        #expect(try await !ResultIssuers.read(result, from: harness, simulated: false).isSimulated)
        await #expect(throws: ResultFault.self) { try await ResultIssuers.read(result, from: harness, simulated: true) }
        #expect(issuers.simulatedSigner.signatures == 0)
    }

    @Test("A rejected verdict has no results, and nothing is signed")
    func rejected() async throws {
        let harness = try await ServiceHarness.signing(issuers)
        var request = try await harness.registration(asking: [.earJWT])
        request.challenge[40] ^= 1
        let verdict = try await harness.verify(request)
        #expect(!verdict.isAccepted && verdict.results.isEmpty && verdict.limits.isEmpty)
        #expect(issuers.simulatedSigner.signatures == 0)
    }

    @Test("What is signed is durable, and was counted and recorded before: signing follows the commit")
    func order() async throws {
        let harness = try await ServiceHarness.signing(issuers)
        let seen = Mutex<[Bool]>([])
        issuers.simulatedSigner.before { [ledger = harness.ledger, counters = harness.counters] in
            seen.withLock { $0.append(ledger.memory.auditLog.count == 1 && counters.counts.accepted == 1) }
        }
        _ = try await harness.verify(try await harness.registration(asking: [.earJWT]))
        let followedTheCommit = seen.withLock { $0 }
        #expect(followedTheCommit == [true])
    }

    @Test("A key that cannot sign keeps no verdict back, and the same request is signed once it can: nothing is judged twice")
    func failingKey() async throws {
        let harness = try await ServiceHarness.signing(issuers)
        issuers.simulatedSigner.fail(with: SigningError("the token is gone"))
        let request = try await harness.registration(asking: [.earJWT, .session], key: "upload 1")
        let first = try await harness.verify(request)
        #expect(first.isAccepted && first.results.map(\.problem.code) == ["results_unavailable", "results_unavailable"])
        #expect(first.results.allSatisfy { !$0.problem.sentence.isEmpty && $0.id.isEmpty })
        #expect(harness.results.problems(.unavailable) == 2 && harness.results.timed == 0)

        issuers.simulatedSigner.fail(with: nil)
        harness.clock.advance(milliseconds: 2000)
        let again = try await harness.verify(request)
        #expect(again.repeated && again.requestID == first.requestID)
        for result in again.results {
            let read = try await ResultIssuers.read(result, from: harness)
            #expect(read.issuedAt == ServiceHarness.opening, "its life counts from the verdict")
        }
        #expect(harness.ledger.asked(.commit) == 1 && harness.ledger.memory.auditLog.count == 1)
    }

    // MARK: Repeated verdicts

    @Test("A repeated verdict is signed again, in other shapes too, with the end that it had")
    func repeated() async throws {
        let harness = try await ServiceHarness.signing(issuers)
        var request = try await harness.registration(asking: [.earJWT], key: "upload 1")
        let first = try await harness.verify(request)
        harness.clock.advance(milliseconds: 60_000)
        request.results.append(ResultRequest(shape: .plainCOSE, audience: ResultIssuers.other))
        let again = try await harness.verify(request)
        #expect(again.repeated && again.results.map(\.expiresAtUnixMs) == [first, first].map(\.results[0].expiresAtUnixMs))
        #expect(again.results[0].id != first.results[0].id, "a token of its own")
        let plain = try await ResultIssuers.read(again.results[1], from: harness)
        let signed = try Assay_V1_Verdict(serializedBytes: #require(plain.content))
        #expect(signed.repeated && signed.requestID == first.requestID && signed.limits == first.limits)
    }

    @Test("A repeated verdict that is older than its result's life has no token")
    func tooOld() async throws {
        let composer = ResultIssuers.composer { $0.lifetime = 10_000 }
        let harness = try await ServiceHarness.signing(issuers, by: composer)
        let request = try await harness.registration(asking: [.earJWT, .session], key: "upload 1")
        _ = try await harness.verify(request)
        harness.clock.advance(milliseconds: 9999)
        #expect(try await harness.verify(request).results.allSatisfy { !$0.id.isEmpty })
        harness.clock.advance(milliseconds: 1)
        let late = try await harness.verify(request)
        #expect(late.repeated && late.results[0].problem.code == "result_of_old_verdict")
        #expect(!late.results[1].id.isEmpty, "a session token lives longer")
    }

    @Test("A device that is blocked or forgotten after the verdict was looked up gets no token", arguments: [true, false])
    func blockedMeanwhile(_ isBlocked: Bool) async throws {
        let harness = try await ServiceHarness.signing(issuers)
        let request = try await harness.registration(asking: [.earJWT], key: "upload 1")
        let first = try await harness.verify(request)
        let device = try #require(DeviceID(bytes: Array(first.deviceID)))
        // The follower alone asks for the device of a repeated verdict.
        harness.ledger.before(.device) { [memory = harness.ledger.memory] in
            let context = ChangeContext(.caller("operator"), at: ServiceHarness.opening, reason: "stolen")
            if isBlocked {
                _ = try? await memory.block(.device(device), context)
            } else {
                _ = try? await memory.forget(device, context)
            }
        }
        let again = try await harness.verify(request)
        #expect(again.isAccepted && again.results.map(\.problem.code) == ["result_of_blocked_device"])
    }

    @Test("A repeated verdict whose device cannot be looked up is answered without a token")
    func deviceUnknown() async throws {
        let harness = try await ServiceHarness.signing(issuers)
        let request = try await harness.registration(asking: [.earJWT], key: "upload 1")
        _ = try await harness.verify(request)
        harness.ledger.fail(.device, with: .unavailable("no disk"))
        let again = try await harness.verify(request)
        #expect(again.isAccepted && again.results.map(\.problem.code) == ["results_unavailable"])
    }

    @Test("An ordinary verdict costs no question to the ledger for its results")
    func questions() async throws {
        let harness = try await ServiceHarness.signing(issuers)
        var (handset, _) = try await harness.enrol()
        let before = harness.ledger.asked(.device)
        var plain = try handset.assertion(try await harness.challenge(.assert))
        _ = try await harness.verify(plain)
        let perVerdict = harness.ledger.asked(.device) - before
        plain = try handset.assertion(try await harness.challenge(.assert))
        plain.results = [ResultRequest(shape: .session, audience: ResultIssuers.audience)]
        let verdict = try await harness.verify(plain)
        #expect(verdict.results.count == 1 && !verdict.results[0].id.isEmpty)
        #expect(harness.ledger.asked(.device) - before == 2 * perVerdict)
    }

    // MARK: Groups and calls

    @Test("An abandoned call is not signed")
    func abandoned() async throws {
        let harness = try await ServiceHarness.signing(issuers)
        let answer = try await follow(harness, isAbandoned: true)
        guard case .verdict = answer else {
            Issue.record("it is signed")
            return
        }
        #expect(issuers.simulatedSigner.signatures == 0)
        guard case .completed = try await follow(harness, isAbandoned: false) else {
            Issue.record("it is not signed")
            return
        }
    }

    private func signing(_ harness: ServiceHarness) -> ResultSigning {
        ResultSigning(
            signer: ResultSigner(
                keys: harness.resultKeys.ring, places: nil, counters: harness.results, clock: harness.clock),
            devices: harness.ledger, requestLog: .closed)
    }

    @Test("Each request of a group gets its own results, whether keys wait or not", arguments: [true, false])
    func group(_ waits: Bool) async throws {
        let issuers = ResultIssuers(waits: waits)
        let harness = try await ServiceHarness.signing(issuers)
        let asked: [[ResultShape]] = [[.earJWT, .session], [], [.earCWT], [.plainJWS], [.session]]
        let isAbandoned = Mutex(false)
        var requests: [AuthorizedRequest] = []
        for (index, shapes) in asked.enumerated() {
            requests.append(
                try harness.admitted(
                    try await harness.registration(asking: shapes),
                    isAbandoned: { index == 2 && isAbandoned.withLock { $0 } }))
        }
        let answers = await harness.pipeline.judge(requests)
        isAbandoned.withLock { $0 = true }
        var group = AnsweredRequests(requests: requests, answers: answers, nanoseconds: 1, traceNames: { _ in [:] })
        await signing(harness).follow(&group)
        for (index, answer) in group.answers.enumerated() {
            switch answer {
            case .completed(_, let message):
                let verdict = try Assay_V1_Verdict(serializedBytes: message)
                #expect(Array(verdict.requestID) == requests[index].requestID && index != 2)
                #expect(verdict.results.compactMap { ResultShape($0.shape) } == asked[index])
                for result in verdict.results { _ = try await ResultIssuers.read(result, from: harness) }
            case .verdict: #expect(asked[index].isEmpty || index == 2, "\(index) is not signed")
            case .reported, .repeated, .failed, .abandoned: Issue.record("\(index): \(answer)")
            }
        }
        #expect(issuers.simulatedSigner.signatures == 4)
    }

    @Test("The devices of repeated verdicts of a group are looked up together, also where keys do not wait")
    func repeatedTogether() async throws {
        let harness = try await ServiceHarness.signing(ResultIssuers(waits: false))
        var requests: [AuthorizedRequest] = []
        for key in ["upload 1", "upload 2"] {
            requests.append(try harness.admitted(try await harness.registration(asking: [.earJWT], key: key)))
        }
        _ = await harness.pipeline.judge(requests)
        requests.insert(try harness.admitted(try await harness.registration(asking: [.earJWT])), at: 1)
        let answers = await harness.pipeline.judge(requests)
        let before = harness.ledger.asked(.device)
        let areTogether = Mutex(false)
        // The first question is not answered before the second is asked.
        harness.ledger.before(.device) { [ledger = harness.ledger] in
            let isAsked = await eventually { ledger.asked(.device) == before + 2 }
            areTogether.withLock { $0 = isAsked }
        }
        var group = AnsweredRequests(requests: requests, answers: answers, nanoseconds: 1, traceNames: { _ in [:] })
        await signing(harness).follow(&group)
        #expect(areTogether.withLock { $0 })
        for (index, answer) in group.answers.enumerated() {
            switch answer {
            case .repeated(let message) where index != 1, .completed(_, let message) where index == 1:
                let verdict = try Assay_V1_Verdict(serializedBytes: message)
                #expect(verdict.results.count == 1 && !verdict.results[0].id.isEmpty, "\(index)")
            default: Issue.record("\(index): \(answer)")
            }
        }
    }

    /// What the follower makes of a verdict that was accepted.
    private func follow(_ harness: ServiceHarness, isAbandoned: Bool) async throws -> Answer {
        let abandoned = Mutex(false)
        let request = try harness.admitted(
            try await harness.registration(asking: [.earJWT]), isAbandoned: { abandoned.withLock { $0 } })
        let answers = await harness.pipeline.judge([request])
        abandoned.withLock { $0 = isAbandoned }
        var group = AnsweredRequests(requests: [request], answers: answers, nanoseconds: 1, traceNames: { _ in [:] })
        await signing(harness).follow(&group)
        return group.answers[0]
    }

    @Test("What another follower added to an answer stays beside the results")
    func besideAnother() async throws {
        let harness = try await ServiceHarness.signing(issuers)
        let request = try harness.admitted(try await harness.registration(asking: [.earJWT]))
        let answers = await harness.pipeline.judge([request])
        guard case .verdict(let verdict)? = answers.first else {
            Issue.record("it is rejected")
            return
        }
        let more: [UInt8] = [0xFA, 0x07, 0x01, 0x2A]
        var group = AnsweredRequests(
            requests: [request], answers: [.completed(verdict, message: verdict.serialized() + more)], nanoseconds: 1,
            traceNames: { _ in [:] })
        await signing(harness).follow(&group)
        guard case .completed(_, let message) = group.answers[0] else {
            Issue.record("it is not signed")
            return
        }
        let answer = try Assay_V1_Verdict(serializedBytes: message)
        #expect(Array(answer.unknownFields.data) == more && answer.results.count == 1)
    }

    // MARK: Log

    @Test("The log names results by their ids and never has a token")
    func log() async throws {
        let book = LogBook()
        let harness = try await ServiceHarness.signing(issuers, requestLog: RequestLog(logger: book.logger))
        let verdict = try await harness.verify(try await harness.registration(asking: [.earJWT, .earCWT]))
        let lines = book.lines.joined(separator: "\n")
        #expect(lines.contains("signed a result") && lines.contains(Hex.encode(verdict.results[0].id)))
        for part in verdict.results[0].text.split(separator: ".") { #expect(!lines.contains(part)) }
        #expect(!lines.contains(Hex.encode(verdict.results[1].binary)))
        #expect(!lines.contains(Base64.url.encode(verdict.results[1].binary)))
    }

    @Test("A key that cannot sign is a warning, one line for many; what the device's own state forbids is none")
    func warnings() async throws {
        let book = LogBook()
        let harness = try await ServiceHarness.signing(issuers, requestLog: RequestLog(logger: book.logger(.info)))
        issuers.simulatedSigner.fail(with: SigningError("the token is gone"))
        for _ in 0..<3 { _ = try await harness.verify(try await harness.registration(asking: [.earJWT])) }
        issuers.simulatedSigner.fail(with: nil)
        _ = try await harness.verify(try await harness.registration(asking: [.clientAttestation]))
        let entries = book.entries.filter { $0.message == "signed no result" }
        #expect(entries.count == 1 && entries[0].level == .warning)
        #expect(entries.first?.metadata["reason"] == "results_unavailable")
    }
}
