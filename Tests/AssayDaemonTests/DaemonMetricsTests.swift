import AssayAPI
import AssayClient
import AssayCore
import AssayMetrics
import AssayTesting
import Testing

@testable import DaemonTesting

@Suite("What a daemon measures beside verdicts")
struct DaemonMetricsTests {
    private func series(_ response: Assay_V1_MetricsResponse, _ family: String) -> [[String]: Double] {
        let series = response.families.first { $0.name == family }?.series ?? []
        return Dictionary(series.map { ($0.labels, $0.value) }, uniquingKeysWith: +)
    }

    @Test("Known labels have series from the start, so that the first event is a rise")
    func zeros() async throws {
        let operations = try await OperationsHome()
        let before = try await operations.client.metrics()
        #expect(series(before, "assay_ready") == [[]: 1])
        #expect(series(before, "assay_clock_steps_total") == [["ahead"]: 0, ["back"]: 0])
        #expect(
            series(before, "assay_device_flag_changes_total") == [
                ["set", "plugin"]: 0, ["set", "caller"]: 0, ["cleared", "plugin"]: 0, ["cleared", "caller"]: 0,
            ])
        #expect(series(before, "assay_challenges_issued_total")[["camera", "assert"]] == 0)
        #expect(series(before, "assay_calls_total")[["/assay.v1.Attestation/Verify", "OK"]] == 0)
        #expect(series(before, "assay_calls_refused_total")[["overloaded"]] == 0)
        for name in ["made", "sampled", "dropped"] { #expect(series(before, "assay_verdict_records_\(name)_total") == [[]: 0]) }
        let accepted = series(before, "assay_verdicts_total").filter { $0.key.first == "camera" && $0.key[2] == "accepted" }
        #expect(accepted.count > 1 && accepted.values.allSatisfy { $0 == 0 })
        await operations.end()
    }

    @Test("Calls are counted by caller, verdicts' time by app")
    func counted() async throws {
        let operations = try await OperationsHome()
        var phone = operations.home.phone()
        #expect(try await phone.register(operations.client).outcome == "accepted")
        for _ in 0..<3 { #expect(try await phone.upload(operations.client).outcome == "accepted") }
        let after = try await operations.client.metrics()
        // Two calls for each verdict, and the one that reads the metrics.
        #expect(series(after, "assay_caller_calls_total") == [["loopback-demo"]: 9])
        let seconds = series(after, "assay_verdict_seconds_total")
        #expect((seconds[["camera"]] ?? 0) > 0 && seconds[["other"]] == 0)
        let names = Set(after.families.map(\.name))
        #expect(names.count == after.families.count)
        await operations.end()
    }
}
