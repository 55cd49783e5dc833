import AssayAPI
import AssayCore
import AssayRPC
import AssayService
import AssayTesting
import Foundation
import SwiftProtobuf
import Testing

@Suite("Challenge at the service")
struct ChallengeTests {
    @Test("has 54 bytes and the app's time to live, unless the caller wants another", arguments: [0, 1, 1000, 3_600_000])
    func issue(_ milliseconds: UInt32) async throws {
        let harness = try await ServiceHarness([.testing(.camera, challenges: ChallengeRule(timeToLive: 42_000))])
        let response: Assay_V1_IssueChallengeResponse = try await harness.call(
            API.issueChallenge,
            Assay_V1_IssueChallengeRequest.with { ($0.app, $0.purpose, $0.ttlMs) = ("camera", .assert, milliseconds) })
        let challenge = try Challenge(parsing: Array(response.challenge))
        #expect(challenge.purpose == .assert)
        #expect(
            challenge.expiry == ServiceHarness.opening.adding(milliseconds: milliseconds == 0 ? 42_000 : Int64(milliseconds)))
        #expect(response.expiresAtUnixMs == challenge.expiry.unixMilliseconds)
    }

    @Test("is never the same twice, and issuing writes nothing")
    func unique() async throws {
        let harness = try await ServiceHarness()
        var seen: Set<[UInt8]> = []
        for _ in 0..<100 { seen.insert(try await harness.challenge(.register)) }
        #expect(seen.count == 100)
        #expect(harness.ledger.asked(.commit) == 0 && harness.ledger.asked(.add) == 3, "the three keys of the start, no more")
    }

    @Test("is refused with the field's name where the request is out of bounds")
    func bounds() async throws {
        let harness = try await ServiceHarness()
        let requests: [(String, (inout Assay_V1_IssueChallengeRequest) -> Void)] = [
            ("app", { $0.app = "NOT AN APP" }),
            ("purpose", { $0.purpose = .unspecified }),
            ("purpose", { $0.purpose = .UNRECOGNIZED(9) }),
            ("context", { $0.context = Data(repeating: 1, count: 65) }),
            ("ttl_ms", { $0.ttlMs = 3_600_001 }),
            ("ttl_ms", { $0.ttlMs = .max }),
        ]
        for (field, change) in requests {
            var request = Assay_V1_IssueChallengeRequest.with { ($0.app, $0.purpose) = ("camera", .register) }
            change(&request)
            let error = await #expect(throws: RPCError.self) {
                let _: Assay_V1_IssueChallengeResponse = try await harness.call(API.issueChallenge, request)
            }
            #expect(error?.code == .invalidArgument && error?.reason == "invalid_request")
            #expect(error?.message.hasPrefix("\(field) ") == true)
        }
    }

    @Test("that lives its longest is good until its last millisecond")
    func longest() async throws {
        let harness = try await ServiceHarness()
        var (handset, _) = try await harness.enrol()
        let challenge = try await harness.challenge(.assert, milliseconds: UInt32(ChallengeRule.longest))
        harness.clock.advance(milliseconds: 3_599_999)
        #expect(try await harness.verify(try handset.assertion(challenge)).isAccepted)
    }
}
