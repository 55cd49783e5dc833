import AssayAPI
import AssayClient
import AssayCore
import AssayDaemon
import AssayMetrics
import AssayOperations
import AssaySimulator
import AssayTesting
import Testing

@testable import DaemonTesting

@Suite("Metrics of a daemon", .timeLimit(.minutes(30)))
struct MetricsTests {
    private static func text(_ operations: OperationsHome, _ format: MetricsText = .prometheus) async -> String {
        String(decoding: await operations.daemon.observation.source.metrics(format), as: UTF8.self)
    }

    /// The value of the series with exactly this name and these labels, as the line has it.
    private static func value(_ series: String, in text: String) -> Double? {
        text.split(separator: "\n").first { $0.hasPrefix(series + " ") }.flatMap { Double($0.dropFirst(series.count + 1)) }
    }

    @Test("Registrations, uploads and rejections are counted by app, format, reason and assurance")
    func verdicts() async throws {
        let operations = try await OperationsHome(onFile: true)
        var phone = operations.home.phone()
        #expect(try await phone.register(operations.client).outcome == "accepted")
        for _ in 0..<3 { #expect(try await phone.upload(operations.client).outcome == "accepted") }
        let challenge = try await phone.challenge(.assert, operations.client)
        let old = try phone.upload(challenge, counter: 1)
        #expect(try await operations.client.patiently(old).outcome == "counter_not_increasing")

        var text = ""
        func value(_ series: String) -> Double? { Self.value(series, in: text) }
        // A call is counted when its answer is on its way.
        try await eventually("the last call is counted") {
            text = await Self.text(operations)
            return value(#"assay_calls_total{method="/assay.v1.Attestation/Verify",status="OK"}"#) == 5
        }
        let (assertion, attestation) = ("app-attest.assertion", "app-attest.attestation")
        #expect(
            value(
                #"assay_verdicts_total{app="camera",format="\#(assertion)",decision="accepted",reason="",assurance="secure_element"}"#
            )
                == 3)
        #expect(
            value(
                #"assay_verdicts_total{app="camera",format="\#(attestation)",decision="accepted",reason="",assurance="secure_element"}"#
            ) == 1)
        #expect(
            value(
                #"assay_verdicts_total{app="camera",format="\#(assertion)",decision="rejected",reason="counter_not_increasing",assurance=""}"#
            ) == 1)
        #expect(value(#"assay_challenges_issued_total{app="camera",purpose="assert"}"#) == 4)
        #expect(value(#"assay_calls_total{method="/assay.v1.Attestation/Verify",status="OK"}"#) == 5)
        #expect(value(#"assay_call_duration_seconds_count{method="/assay.v1.Attestation/Verify"}"#) == 5)
        for stage in ["prepare", "appraise", "decide"] {
            #expect(value(#"assay_stage_duration_seconds_count{stage="\#(stage)"}"#) == 5, "\(stage)")
        }
        #expect(value(#"assay_stage_duration_seconds_count{stage="commit"}"#) == 4, "the rejection joined no commit")
        #expect(value("assay_assertion_step_count") == 3 && value("assay_assertion_step_sum") == 3)
        #expect(value("assay_devices") == 1 && value("assay_ledger_writable") == 1)
        #expect(try #require(value("assay_ledger_commit_entries_sum")) >= 4)
        #expect(try #require(value(#"assay_ledger_file_bytes{file="main"}"#)) > 0)
        #expect(try #require(value(#"assay_cache_lookups_total{cache="device",result="hit"}"#)) > 0)
        #expect(try #require(value("process_resident_memory_bytes")) > 1_000_000)
        #expect(value("assay_connections") == 1 && value(#"assay_attention{code="store_unavailable"}"#) == 0)
        await operations.end()
    }

    @Test("Formats and codes that a caller makes up add no series")
    func hostile() async throws {
        let operations = try await OperationsHome()
        func series() async -> Int { await Self.text(operations).split(separator: "\n").count }
        let phone = operations.home.phone()
        for round in 0..<2 {
            var counts: [Int] = []
            for number in 0..<20 {
                let challenge = try await phone.challenge(.assert, operations.client)
                let evidence = Evidence(format: EvidenceFormat(rawValue: "made-up-\(round)-\(number)"), keyID: [], body: [1])
                let request = VerificationRequest(app: phone.app, purpose: .assert, challenge: challenge, evidence: [evidence])
                _ = try? await operations.client.patiently(request)
                counts.append(await series())
            }
            // The first one of all adds the series of other.
            let different = Set(counts.dropFirst(round == 0 ? 1 : 0))
            #expect(different.count == 1)
        }
        let text = await Self.text(operations)
        #expect(!text.contains("made-up"))
        await operations.end()
    }

    @Test("The scrape in OpenMetrics ends with EOF, and both formats have the same samples")
    func formats() async throws {
        let operations = try await OperationsHome()
        let (prometheus, open) = (await Self.text(operations), await Self.text(operations, .openMetrics))
        #expect(open.hasSuffix("\n# EOF\n"))
        func names(_ text: String) -> Set<Substring> {
            Set(text.split(separator: "\n").filter { !$0.hasPrefix("#") }.compactMap { $0.split(separator: " ").first })
        }
        #expect(names(prometheus) == names(open) && names(open).count > 60)
        await operations.end()
    }

    @Test("promtool finds nothing wrong with a scrape", .enabled(if: Promtool.path != nil, "promtool is absent"))
    func promtool() async throws {
        let operations = try await OperationsHome(onFile: true)
        var phone = operations.home.phone()
        #expect(try await phone.register(operations.client).outcome == "accepted")
        #expect(try await phone.upload(operations.client).outcome == "accepted")
        let problems = try await Promtool.problems(await Self.text(operations))
        #expect(problems == "")
        await operations.end()
    }

    @Test("What a scrape shows names no device, key, challenge or subject")
    func secrecy() async throws {
        let operations = try await OperationsHome(onFile: true)
        let phone = operations.home.phone()
        var request = try phone.registration(try await phone.challenge(.register, operations.client))
        request.subject = Array("user-4711".utf8)
        let verdict = try await operations.client.patiently(request)
        #expect(verdict.outcome == "accepted")
        let text = await Self.text(operations)
        for secret in [
            "4711", Hex.encode(Array(verdict.deviceID)), Hex.encode(phone.key.keyID), Hex.encode(request.challenge.suffix(16)),
        ] { #expect(!text.contains(secret)) }
        await operations.end()
    }
}
