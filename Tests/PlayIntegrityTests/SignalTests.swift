import AssayCore
import AssaySimulator
import PlayIntegrity
import Testing

@Suite("Signals")
struct SignalTests {
    let sample: SampleToken
    init() throws { sample = try SampleToken() }

    struct Case: CustomTestStringConvertible, Sendable {
        let signal: PlaySignal
        let value: String
        let code: String
        var testDescription: String { "\(signal.rawValue) \(value)" }

        /// The valid payload with the signal at the value.
        func apply(to payload: inout JSONDraft) {
            switch signal {
            case .licensing: payload["accountDetails", "appLicensingVerdict"] = .text(value)
            case .playProtect: payload["environmentDetails", "playProtectVerdict"] = .text(value)
            case .appAccessRisk: payload["environmentDetails", "appAccessRiskVerdict", "appsDetected"] = .texts([value])
            case .deviceActivity: payload["deviceIntegrity", "recentDeviceActivity", "deviceActivityLevel"] = .text(value)
            case .deviceRecall: payload["deviceIntegrity", "deviceRecall", "values", value] = .boolean(true)
            case .accountActivity: payload["accountDetails", "accountActivity", "activityLevel"] = .text(value)
            }
        }

        static let all = [
            Case(signal: .licensing, value: "UNLICENSED", code: "app_not_licensed"),
            Case(signal: .licensing, value: "UNEVALUATED", code: "license_unevaluated"),
            Case(signal: .licensing, value: "UNKNOWN", code: "app_not_licensed"),
            Case(signal: .playProtect, value: "HIGH_RISK", code: "play_protect"),
            Case(signal: .playProtect, value: "POSSIBLE_RISK", code: "play_protect"),
            Case(signal: .appAccessRisk, value: "UNKNOWN_CAPTURING", code: "app_access_risk"),
            Case(signal: .deviceActivity, value: "LEVEL_4", code: "device_activity"),
            Case(signal: .deviceRecall, value: "bitThird", code: "device_recalled"),
            Case(signal: .accountActivity, value: "UNUSUAL", code: "account_activity"),
        ]
    }

    @Test("By default a signal's risk is a note", arguments: Case.all)
    func warn(_ signal: Case) throws {
        var payload = sample.standard
        signal.apply(to: &payload)
        let appraisal = try sample.judge(payload)
        #expect(appraisal.isAccepted)
        #expect(appraisal.notes(at: signal.signal.rawValue) == [signal.value.lowercased()])
    }

    @Test("A signal rejects or is ignored if the policy says so", arguments: Case.all)
    func reactions(_ signal: Case) throws {
        var payload = sample.standard
        signal.apply(to: &payload)
        var sample = sample
        sample.policy.reactions = [signal.signal: [OpaqueText(signal.value): .fail]]
        #expect(try sample.judge(payload).code == signal.code)
        #expect(try sample.judge(sample.standard).isAccepted)
        sample.policy.reactions = [signal.signal: [OpaqueText(signal.value): .ignore]]
        let ignored = try sample.judge(payload)
        #expect(ignored.isAccepted && ignored.notes(at: signal.signal.rawValue) == [])
    }

    @Test("Unknown values of a signal have a rule", arguments: Case.all.filter { $0.signal != .deviceRecall })
    func other(_ signal: Case) throws {
        let future = Case(signal: signal.signal, value: "FUTURE", code: "")
        var payload = sample.standard
        future.apply(to: &payload)
        #expect(try sample.judge(payload).notes(at: signal.signal.rawValue) == ["other"])
        var strict = sample
        strict.policy.reactions = [signal.signal: [PlaySignal.other: .fail]]
        #expect(try strict.judge(payload).failure?.check == signal.signal.rawValue)
    }

    @Test("A signal without a value is skipped, or rejected if the policy requires it", arguments: PlaySignal.allCases)
    func unevaluated(_ signal: PlaySignal) throws {
        var bare = sample.standard
        bare["accountDetails"] = nil
        bare["environmentDetails", "appAccessRiskVerdict"] = .object([])
        bare["deviceIntegrity", "deviceRecall", "values"] = .object([])
        let appraisal = try sample.judge(bare)
        let finding = try #require(appraisal.findings.first { $0.check == signal.rawValue })
        #expect(finding.outcome == (signal == .licensing ? .pass : .skipped))
        var strict = sample
        strict.policy.reactions = [signal: ["UNEVALUATED": .fail]]
        #expect(try strict.judge(bare).failure?.check == signal.rawValue)
    }

    @Test("An empty list of apps means that none was found")
    func noApps() throws {
        var strict = sample
        strict.policy.reactions = [.appAccessRisk: ["UNEVALUATED": .fail]]
        #expect(try strict.code { $0["environmentDetails", "appAccessRiskVerdict", "appsDetected"] = .texts([]) } == nil)
        #expect(try strict.code { $0["environmentDetails", "appAccessRiskVerdict"] = .object([]) } == "app_access_risk")
    }
}
