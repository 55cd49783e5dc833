import AssayAPI
import AssayCore
import AssayRPC
import AssaySimulator
import AssayTesting
import Crypto
import Foundation
import SwiftProtobuf
import Testing

@testable import AssayService

@Suite("Rate limits")
struct RateLimitTests {
    private let clock = MovedClock()

    private func harness(
        caller: String? = nil, _ rates: AppRates = AppRates(), ledger: WatchedLedger = WatchedLedger(),
        callers: CallerDirectory = CallerDirectory(byUserID: [:], loopback: CallerDirectory.demo), apps: [AppProfile]? = nil
    ) async throws -> ServiceHarness {
        let buckets = RateBuckets(secret: [3], places: 256) { [clock] in clock.now }
        return try await ServiceHarness(
            apps, callers: callers, ledger: ledger,
            rates: { counters in
                RateLimits(
                    caller: caller.flatMap { RateRule($0) }, apps: [.camera: rates, .notes: rates], buckets: buckets,
                    counters: counters)
            })
    }

    /// The error of a request for a challenge; `nil`: there is one.
    private func refusal(
        _ harness: ServiceHarness, app: AppID = .camera, from address: String = "", peer: RPCPeer = ServiceHarness.loopback
    ) async throws -> RPCError? {
        do {
            _ = try await harness.call(
                API.issueChallenge, .with { ($0.app, $0.purpose, $0.sourceAddress) = (app.text, .assert, address) }, peer: peer)
            return nil
        } catch let error as RPCError {
            return error
        }
    }

    @Test("a request beyond a rate is answered RESOURCE_EXHAUSTED, with the limit and when to come again")
    func answer() async throws {
        let harness = try await harness(AppRates(app: RateRule("2/m")))
        for _ in 0..<2 { #expect(try await refusal(harness) == nil) }
        let error = try #require(try await refusal(harness))
        #expect(error.code == .resourceExhausted && error.reason == "rate_limited" && error.message.contains("\"app\""))
        #expect(error.retryAfterMilliseconds == 30_000)
        clock.advance(seconds: 29)
        #expect(try await refusal(harness)?.retryAfterMilliseconds == 1000)
        clock.advance(seconds: 1)
        #expect(try await refusal(harness) == nil)
        #expect(try await refusal(harness, app: .notes) == nil, "another app has its own rate")
        #expect(harness.counters.counts.rateLimited == [LimitedRate(app: .camera, limit: .app): 2])
    }

    @Test("challenges and verdicts are counted apart")
    func uses() async throws {
        let harness = try await harness(AppRates(app: RateRule("1/h")))
        let challenge = try await harness.challenge(.register)
        #expect(try await refusal(harness) != nil)
        #expect(try await harness.verify(try Handset().registration(challenge)).isAccepted)
        #expect(try await harness.failure(try Handset().registration(challenge))?.reason == "rate_limited")
    }

    @Test("callers, and callers within an app, are counted each by itself")
    func callers() async throws {
        let callers = CallerDirectory(byUserID: [
            1: Caller(name: "one", roles: [.verify], apps: nil), 2: Caller(name: "two", roles: [.verify], apps: nil),
        ])
        let (one, two) = (
            RPCPeer.unix(userID: 1, groupID: 1, processID: 1), RPCPeer.unix(userID: 2, groupID: 1, processID: 1)
        )
        let harness = try await harness(caller: "3/h", AppRates(caller: RateRule("2/h")), callers: callers)
        for _ in 0..<2 { #expect(try await refusal(harness, peer: one) == nil) }
        #expect(try #require(try await refusal(harness, peer: one)).message.contains("\"caller_in_app\""))
        // The refused request was not charged to the caller: one is left for the other app.
        #expect(try await refusal(harness, app: .notes, peer: one) == nil)
        #expect(try #require(try await refusal(harness, app: .notes, peer: one)).message.contains("\"caller\""))
        #expect(try await refusal(harness, peer: two) == nil)
    }

    @Test("addresses are counted where a caller passes one on, those of IPv6 by their first 64 bits")
    func addresses() async throws {
        let harness = try await harness(AppRates(address: RateRule("1/h")))
        #expect(try await refusal(harness, from: "192.0.2.1") == nil)
        #expect(try #require(try await refusal(harness, from: "::ffff:192.0.2.1")).message.contains("\"address\""))
        #expect(try await refusal(harness, from: "192.0.2.2") == nil)
        #expect(try await refusal(harness, from: "2001:db8::1") == nil)
        #expect(try await refusal(harness, from: "2001:db8::2")?.reason == "rate_limited")
        for _ in 0..<5 { #expect(try await refusal(harness) == nil) }
    }

    @Test("an address that is none is refused, in each request that takes one", arguments: ["1.2.3", "host", "::1%1"])
    func badAddress(_ text: String) async throws {
        let harness = try await harness()
        #expect(try await refusal(harness, from: text)?.reason == "invalid_request")
        for path in [API.verify.path, API.prepare.path, API.issueCertificate.path, API.renewCertificate.path] {
            // Its field has the highest number in each of these: appending adds it.
            var message = try AuthorisationTests.sample(path)
            let number: UInt8 = [API.verify.path: 10, API.prepare.path: 4, API.issueCertificate.path: 11][path] ?? 9
            message += [number << 3 | 2, UInt8(text.utf8.count)] + Array(text.utf8)
            guard case .failure(let error)? = try await harness.ask(path, message) else {
                Issue.record("\(path) takes the address \(text)")
                continue
            }
            #expect(error.reason == "invalid_request", "\(path): \(error)")
        }
    }

    // MARK: Devices

    @Test("a device gets as many accepted verdicts as its rate allows, and nothing is spent by a refusal")
    func device() async throws {
        let harness = try await harness(AppRates(device: RateRule("2/h")))
        // The registration is the first of two.
        var (handset, device) = try await harness.enrol()
        #expect(try await harness.assert(&handset).isAccepted)
        let request = try handset.assertion(try await harness.challenge(.assert))
        for _ in 0..<8 {
            let error = try #require(try await harness.failure(request))
            #expect(error.reason == "rate_limited" && error.message.contains("\"device\""))
            #expect(error.retryAfterMilliseconds == 1_800_000)
        }
        #expect(try await harness.ledger.device(device)?.counter == 1)
        clock.advance(seconds: 1800)
        // Eight refusals were no attempts with the challenge either.
        #expect(try await harness.verify(request).isAccepted)
        #expect(harness.counters.counts.rateLimited[LimitedRate(app: .camera, limit: .device)] == 8)
        #expect(harness.counters.counts.unavailable == 0)
    }

    @Test("evidence that is refused costs its device nothing, from any sender")
    func forged() async throws {
        let harness = try await harness(AppRates(device: RateRule("2/h")))
        var (handset, _) = try await harness.enrol()
        var stranger = handset
        for _ in 0..<20 {
            let verdict = try await harness.assert(&stranger, changes: .genuine.signer(Handset().key.signingKey))
            #expect(verdict.rejection == .badSignature)
        }
        #expect(try await harness.assert(&handset).isAccepted)
    }

    @Test("of verdicts that race for a device's last token exactly one is accepted")
    func race() async throws {
        let harness = try await harness(AppRates(device: RateRule("2/h")))
        var (handset, _) = try await harness.enrol()
        var requests: [VerificationRequest] = []
        for _ in 0..<16 { requests.append(try handset.assertion(try await harness.challenge(.assert))) }
        let admitted = try requests.map { try harness.admitted($0) }
        let answers = await harness.pipeline.judge(admitted)
        #expect(answers.count(where: \.isAccepted) == 1)
        #expect(answers.count { if case .failed(.rateLimited) = $0 { true } else { false } } == 15)
    }

    @Test("a verdict that the ledger refuses or cannot keep is given back to the device")
    func notCommitted() async throws {
        let ledger = WatchedLedger()
        let harness = try await harness(AppRates(device: RateRule("2/h")), ledger: ledger)
        var (handset, _) = try await harness.enrol()
        let request = try handset.assertion(try await harness.challenge(.assert))
        ledger.fail(.commit, with: .unavailable("test"))
        for _ in 0..<4 { #expect(try await harness.failure(request)?.reason == "ledger_unavailable") }
        ledger.fail(.commit, with: nil)
        #expect(try await harness.verify(request).isAccepted)
    }

    @Test("a capture below the confidence that the app demands costs its device nothing")
    func confidence() async throws {
        let rule = ConfidenceRule(profile: .weighted, required: .high)
        let harness = try await harness(AppRates(device: RateRule("2/h")), apps: [.testing(.camera, confidence: rule)])
        var (handset, _) = try await harness.enrol()
        for _ in 0..<5 { #expect(try await harness.assert(&handset).rejection == .confidenceTooLow) }
        var request = try handset.assertion(try await harness.challenge(.assert), payload: ConfidenceTests.document)
        request.signals = ConfidenceTests.document
        let verdict = try await harness.verify(request)
        #expect(verdict.isAccepted, "\(verdict.detail)")
    }

    @Test("a certificate that is not issued costs its device nothing, whatever the reason")
    func notIssued() async throws {
        let ledger = WatchedLedger()
        let harness = try await harness(AppRates(device: RateRule("2/h")), ledger: ledger)
        var (handset, device) = try await harness.enrol()
        func message(_ csr: [UInt8], bound: [UInt8]? = nil) async throws -> Assay_V1_IssueCertificateRequest {
            let challenge = try await harness.challenge(.provision)
            let hash = ClientData.payloadHash(bound ?? csr)
            let data = try #require(ClientData(purpose: .provision, challenge: challenge, payloadHash: hash))
            let evidence = try #require(try handset.assertion(over: data.hash).message)
            return .with {
                $0.app = AppID.camera.text
                $0.challenge = Data(challenge)
                $0.evidence = [evidence]
                $0.payloadSha256 = Data(hash)
                $0.csr = Data(csr)
            }
        }
        let csr = StandInAuthority.csr(Array(P256.Signing.PrivateKey().publicKey.derRepresentation))
        for (csr, bound, reason) in [(csr, [7], "csr_not_bound"), ([1], nil, "malformed_csr")] as [([UInt8], [UInt8]?, String)]
        {
            for _ in 0..<3 {
                let refused = try await harness.call(API.issueCertificate, try await message(csr, bound: bound))
                #expect(refused.verdict.reason == reason)
            }
        }
        var other = try await message(csr)
        other.expectedDeviceID = Data(DeviceID.random().bytes)
        for _ in 0..<3 { #expect(try await harness.call(API.issueCertificate, other).verdict.reason == "device_mismatch") }
        harness.authority.fail(with: .unavailable("test"))
        for _ in 0..<3 {
            await #expect(throws: RPCError.self) { try await harness.call(API.issueCertificate, try await message(csr)) }
        }
        harness.authority.fail(with: nil)
        for _ in 0..<3 {
            let blocked = try await message(csr)
            ledger.before(.commit) { [memory = ledger.memory, device] in
                _ = try? await memory.block(.device(device), reason: "test", at: ServiceHarness.opening)
            }
            #expect(try await harness.call(API.issueCertificate, blocked).verdict.reason == "device_blocked")
            _ = try await ledger.unblock(.device(device))
        }
        let issued = try await harness.call(API.issueCertificate, try await message(csr))
        #expect(issued.verdict.isAccepted, "\(issued.verdict.detail)")
        await #expect(throws: RPCError.self) { try await harness.call(API.issueCertificate, try await message(csr)) }
    }

    @Test("a request that its device's rate refuses costs caller, app and address nothing")
    func othersNotCharged() async throws {
        let rates = AppRates(app: RateRule("4/h"), address: RateRule("4/h"), device: RateRule("2/h"))
        let harness = try await harness(caller: "4/h", rates)
        var (handset, _) = try await harness.enrol()
        var request = try handset.assertion(try await harness.challenge(.assert))
        request.sourceAddress = try SourceAddress?(field: "192.0.2.1".utf8)
        #expect(try await harness.verify(request).isAccepted)
        for _ in 0..<10 {
            #expect(try await harness.failure(request)?.message.contains("\"device\"") == true)
        }
        let mine = try await harness.call(API.whoAmI, Assay_V1_WhoAmIRequest()).rates.filter { $0.use == "verdicts" }
        #expect(mine.allSatisfy { $0.left == 2 || $0.app == "notes" }, "\(mine)")
        // Two are left to the app, and three to the address.
        for _ in 0..<2 {
            var other = try Handset().registration(try await harness.challenge(.register))
            other.sourceAddress = request.sourceAddress
            #expect(try await harness.verify(other).isAccepted)
        }
    }

    // MARK: Repetitions

    @Test("a verdict that is given again is not counted")
    func repeated() async throws {
        let harness = try await harness(AppRates(app: RateRule("3/h"), device: RateRule("2/h")))
        var (handset, _) = try await harness.enrol()
        var request = try handset.assertion(try await harness.challenge(.assert))
        request.idempotencyKey = [1]
        #expect(try await harness.verify(request).isAccepted)
        for _ in 0..<20 { #expect(try await harness.verify(request).repeated) }
        // One is left of three.
        #expect(
            try await harness.failure(try handset.assertion(try await harness.challenge(.assert)))?.message.contains(
                "\"device\"") == true)
        // Nor is what the rate of the device refuses. A rejection is.
        #expect(try await harness.verify(request).repeated)
        #expect(try await harness.verify(try Handset().registration(request.challenge)).rejection == .challengeWrongPurpose)
        #expect(try await harness.failure(request)?.message.contains("\"app\"") == true)
    }

    // MARK: WhoAmI

    @Test("a caller learns its name, how it was recognised, its roles and apps, and what is left of its rates")
    func whoAmI() async throws {
        let callers = CallerDirectory(
            byUserID: [1: Caller(name: "one", roles: [.verify, .observe], apps: [.camera])],
            byURI: ["spiffe://test/one": Caller(name: "far", roles: [.operate], apps: nil)], loopback: .demo)
        let harness = try await harness(caller: "5/h", AppRates(app: RateRule("100/h burst 20")), callers: callers)
        let peer = RPCPeer.unix(userID: 1, groupID: 1, processID: 1)
        #expect(try await refusal(harness, peer: peer) == nil)
        let one = try await harness.call(API.whoAmI, Assay_V1_WhoAmIRequest(), peer: peer)
        #expect(one.name == "one" && one.recognisedBy == "unix_user" && one.mark == "1")
        #expect(one.roles == ["verify", "observe"] && !one.allApps && one.apps == ["camera"])
        let rates = one.rates.map { "\($0.limit) \($0.app) \($0.use) \($0.rate) \($0.left)/\($0.burst) \($0.retryAfterMs)" }
        #expect(
            rates == [
                "caller  challenges 5/h 4/5 0", "app camera challenges 100/h burst 20 19/20 0", "caller  verdicts 5/h 5/5 0",
                "app camera verdicts 100/h burst 20 20/20 0",
            ])
        let names = RPCPeerNames(uris: ["urn:other", "spiffe://test/one"], dnsNames: [])
        let far = try await harness.call(
            API.whoAmI, Assay_V1_WhoAmIRequest(), peer: .tls(address: "192.0.2.1", port: 1, names: names))
        #expect(far.name == "far" && far.recognisedBy == "uri" && far.mark == "spiffe://test/one" && far.allApps)
        let near = try await harness.call(API.whoAmI, Assay_V1_WhoAmIRequest())
        #expect(near.name == "loopback-demo" && near.recognisedBy == "loopback_demo" && near.mark.isEmpty)
    }

    @Test("the status shows refusals of the apps that a caller may name")
    func status() async throws {
        let callers = CallerDirectory(
            byUserID: [1: Caller(name: "watch", roles: [.observe], apps: [.notes])], loopback: .demo)
        let harness = try await harness(AppRates(app: RateRule("1/h")), callers: callers)
        for _ in 0..<3 { _ = try await refusal(harness) }
        let all = try await harness.call(API.status, Assay_V1_StatusRequest()).traffic
        let limited = Assay_V1_StatusResponse.RateLimited.with { ($0.app, $0.limit, $0.count) = ("camera", "app", 2) }
        #expect(all.rateLimited == [limited])
        let peer = RPCPeer.unix(userID: 1, groupID: 1, processID: 1)
        #expect(try await harness.call(API.status, Assay_V1_StatusRequest(), peer: peer).traffic.rateLimited.isEmpty)
    }
}
