import AssayAPI
import AssayCore
import AssayRPC
import AssayTesting
import Foundation
import SwiftProtobuf
import Testing

@testable import AssayService

@Suite("Rates of look-ups")
struct LookupRateTests {
    private let clock = MovedClock()

    private func harness(caller: String? = nil, _ rates: AppRates, apps: [AppProfile]? = nil) async throws -> ServiceHarness {
        let buckets = RateBuckets(secret: [3], places: 256) { [clock] in clock.now }
        return try await ServiceHarness(
            try apps ?? [.testing(.camera, lookup: LookupRule()), .testing(.notes)],
            rates: { counters in
                RateLimits(
                    caller: caller.flatMap { RateRule($0) }, apps: [.camera: rates, .notes: AppRates()], buckets: buckets,
                    counters: counters)
            })
    }

    /// The error of a look-up; `nil`: it was answered.
    private func refusal(_ harness: ServiceHarness, app: AppID = .camera, from address: String = "") async throws -> RPCError? {
        do {
            let hash = Data(count: 32)
            _ = try await harness.call(
                API.findVerdicts, .with { ($0.app, $0.payloadSha256, $0.sourceAddress) = (app.text, hash, address) })
            return nil
        } catch let error as RPCError {
            return error
        }
    }

    @Test("Look-ups are counted by caller, app and address, each by the rate that the app has for it")
    func limits() async throws {
        for (rates, word) in [
            (AppRates(app: RateRule("2/h")), "\"app\""), (AppRates(caller: RateRule("2/h")), "\"caller_in_app\""),
            (AppRates(address: RateRule("2/h")), "\"address\""),
        ] {
            let harness = try await harness(rates)
            for _ in 0..<2 { #expect(try await refusal(harness, from: "192.0.2.1") == nil) }
            let refused = try #require(try await refusal(harness, from: "192.0.2.1"), "\(word)")
            #expect(refused.code == .resourceExhausted && refused.reason == "rate_limited" && refused.message.contains(word))
            #expect(refused.retryAfterMilliseconds == 1_800_000)
        }
        let byCaller = try await harness(caller: "1/h", AppRates())
        #expect(try await refusal(byCaller) == nil)
        #expect(try await refusal(byCaller)?.message.contains("\"caller\"") == true)
    }

    @Test("Another address is counted by itself, and one that is not passed on is not counted by address")
    func addresses() async throws {
        let harness = try await harness(AppRates(address: RateRule("1/h")))
        #expect(try await refusal(harness, from: "192.0.2.1") == nil)
        #expect(try await refusal(harness, from: "192.0.2.1") != nil)
        #expect(try await refusal(harness, from: "192.0.2.2") == nil)
        for _ in 0..<3 { #expect(try await refusal(harness) == nil) }
    }

    @Test("Look-ups take nothing from challenges and verdicts, nor these from look-ups")
    func apart() async throws {
        let harness = try await harness(AppRates(app: RateRule("1/h")))
        let request = try Handset().registration(try await harness.challenge(.register))
        #expect(try await harness.verify(request).isAccepted)
        #expect(try await refusal(harness) == nil)
        #expect(try await refusal(harness)?.reason == "rate_limited")
        await #expect(throws: RPCError.self) { _ = try await harness.challenge(.register) }
    }

    @Test("A look-up that is refused for its app, or is malformed, is not counted")
    func uncounted() async throws {
        let harness = try await harness(caller: "1/h", AppRates())
        for _ in 0..<3 { #expect(try await refusal(harness, app: .notes)?.reason == "lookup_not_configured") }
        for _ in 0..<3 { #expect(try await refusal(harness, from: "nowhere")?.code == .invalidArgument) }
        #expect(try await refusal(harness) == nil)
        #expect(try await refusal(harness)?.reason == "rate_limited")
    }

    @Test("A caller is shown what is left of its look-ups, if one of its apps has them")
    func shown() async throws {
        func uses(_ harness: ServiceHarness) async throws -> [String] {
            try await harness.call(API.whoAmI, Assay_V1_WhoAmIRequest()).rates.filter { $0.use == "lookups" }.map {
                "\($0.limit) \($0.app) \($0.left)"
            }
        }
        let with = try await harness(caller: "3/h", AppRates(app: RateRule("2/h")))
        #expect(try await refusal(with) == nil)
        #expect(try await uses(with) == ["caller  2", "app camera 1"])
        let without = try await harness(
            caller: "3/h", AppRates(app: RateRule("2/h")), apps: [.testing(.camera), .testing(.notes)])
        #expect(try await uses(without).isEmpty)
    }
}
