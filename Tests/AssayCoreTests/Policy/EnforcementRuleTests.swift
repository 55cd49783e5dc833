import AssayCore
import Testing

@Suite("Enforcement rule")
struct EnforcementRuleTests {
    private static let app = AppID("photos")
    private static let device = DeviceID(bytes: [UInt8](1...16))

    private func verdict(_ rejection: Rejection?, check: String = "a", _ findings: [Finding] = []) -> Verdict {
        Verdict(
            decision: rejection.map { .rejected($0, check: check) } ?? .accepted(.hardware), findings: findings,
            claims: Claims(),
            device: nil, binding: nil, evidenceDigest: [], policyDigest: [], simulated: false, requestID: [],
            decidedAt: .distantPast)
    }

    private func reports(_ rule: EnforcementRule, _ verdict: Verdict) throws -> Bool {
        rule.reports(verdict, of: try #require(Self.app), group: .device(try #require(Self.device)))
    }

    @Test("An app enforces all without the key, and none with a share of nothing")
    func ends() throws {
        let rejected = verdict(Rejection(.patchLevelTooOld, ""))
        #expect(try !reports(EnforcementRule(), rejected) && !EnforcementRule().reports)
        #expect(try reports(EnforcementRule(share: 0), rejected))
        #expect(try !reports(EnforcementRule(share: 0), verdict(nil)), "an acceptance is one")
        #expect(EnforcementRule(share: 20_000).share == EnforcementRule.whole)
    }

    @Test(
        "A replay or a revocation among the failures is enforced, unless everything is reported", arguments: ReasonCode.allCases
    )
    func replays(_ code: ReasonCode) throws {
        let (rule, everything) = (EnforcementRule(share: 0), EnforcementRule(share: 0, reportsEverything: true))
        let first = verdict(Rejection(code, ""))
        #expect(try reports(rule, first) == !code.isReplayOrRevocation && reports(everything, first))
        let behind = verdict(
            Rejection(.osVersion, ""), [.fail("os_version", Rejection(.osVersion, "")), .fail("b", Rejection(code, ""))])
        #expect(try reports(rule, behind) == !code.isReplayOrRevocation && reports(everything, behind))
    }

    @Test("A use that a plugin refuses by its own code is a replay; its other codes are not")
    func ownCodes() throws {
        let own = Rejection(try #require(FailureCode(rawValue: "vendor/used")), "")
        let rule = EnforcementRule(share: 0)
        #expect(try reports(rule, verdict(own, check: "own")))
        #expect(try !reports(rule, verdict(own, check: Finding.useCheck)))
    }

    @Test("Where something was unavailable a revocation cannot be told, and the rejection is enforced")
    func unavailable() throws {
        let missing = verdict(Rejection(.osVersion, ""), [Finding(check: "revocation", outcome: .unavailable)])
        #expect(try !reports(EnforcementRule(share: 0), missing))
        #expect(try reports(EnforcementRule(share: 0, reportsEverything: true), missing))
    }

    @Test("A share is that of the devices, the same each time, and a larger one keeps those of a smaller one")
    func shares() throws {
        let app = try #require(Self.app)
        let rejected = verdict(Rejection(.osVersion, ""))
        let groups = (0..<4000).map { number in
            EnforcementRule.Group.subject([UInt8(truncatingIfNeeded: number), UInt8(truncatingIfNeeded: number >> 8)])
        }
        func enforced(_ share: UInt32) -> Set<EnforcementRule.Group> {
            Set(groups.filter { !EnforcementRule(share: share).reports(rejected, of: app, group: $0) })
        }
        let (one, ten, half) = (enforced(100), enforced(1000), enforced(5000))
        #expect((10...90).contains(one.count) && (300...500).contains(ten.count) && (1850...2150).contains(half.count))
        #expect(one.isSubset(of: ten) && ten.isSubset(of: half) && enforced(1000) == ten)
        let other = try #require(AppID("notes"))
        #expect(Set(groups.filter { !EnforcementRule(share: 1000).reports(rejected, of: other, group: $0) }) != ten)
    }

    @Test(
        "A share is shown as it is written",
        arguments: [(0, "0%"), (1, "0.01%"), (50, "0.5%"), (1000, "10%"), (1025, "10.25%"), (10_000, "100%")]
            as [(UInt32, String)])
    func text(_ share: UInt32, _ text: String) { #expect(EnforcementRule(share: share).shareText == text) }
}
