import Foundation
import Testing

@testable import DaemonTesting

extension CommandTests {
    @Suite("Options of assay bench")
    struct BenchUsageTests {
        private static let nowhere = ["--server", "unix:/nowhere/assayd.sock", "--app", "photos"]

        @Test(
            "Options that cannot be used are refused before anything is called, with what to write",
            arguments: [
                (["--mix", "challenge", "--rate", "0"], "--rate must be from 0.1 to 100000"),
                (["--mix", "challenge", "--rate", "nan"], "--rate"),
                (["--mix", "challenge", "--for", "500ms"], "--for must be from 1s to 24h"),
                (["--mix", "challenge", "--warm-up", "2h"], "--warm-up must be at most 1h"),
                (["--mix", "challenge", "--connections", "0"], "--connections must be from 1 to 256"),
                (["--mix", "challenge", "--in-flight", "0"], "--in-flight must be"),
                (["--mix", "challenge", "--devices", "0"], "--devices must be"),
                (["--mix", "challenge", "--seed", "-1"], "--seed"),
                (["--mix", "challenge=0"], "--mix"), (["--mix", "challenge=1,challenge=2"], "--mix"),
                (["--mix", "challenge=1,"], "--mix"), (["--mix", "upload=1"], "--mix"), (["--mix", ""], "--mix"),
                (["--mix", "challenge", "--arrivals", "random"], "--arrivals"),
                (["--mix", "challenge", "--expect-p99", "8"], "--expect-p99"),
                (["--mix", "challenge", "--expect-p99", "0ms"], "--expect-p99"),
                (["--mix", "challenge", "--fail-over", "101%"], "--fail-over"),
                (["--mix", "challenge", "--fail-over", "-1"], "--fail-over"),
                (["--mix", "challenge", "--protocol", "soap"], "--protocol"),
                (["--mix", "challenge", "--protocol", "grpc"], "for addresses that begin with https://"),
                (["--mix", "challenge", "--http1"], "for addresses that begin with https://"),
                (
                    ["--mix", "challenge", "--protocol", "grpc", "--http1", "--server", "https://localhost"],
                    "gRPC takes HTTP/2"
                ),
                (["--mix", "challenge", "--retries", "2"], "A load sends each call once"),
                ([], "assay simulate phone"), (["--mix", "key-signature"], "assay simulate android make"),
            ] as [([String], String)])
        func refused(_ words: [String], _ text: String) async throws {
            let ending = try await Child.run("assay", ["bench"] + Self.nowhere + words)
            #expect(ending.status == 64 && ending.out.isEmpty, "\(words) \(ending)")
            #expect(ending.err.contains(text) && ending.err.contains("Usage: assay bench"), "\(words) \(ending)")
        }

        @Test("A folder without a virtual phone is unreadable input, and a daemon that is not there unavailable")
        func missing() async throws {
            let folder = try TemporaryFolder()
            let noPhone = try await Child.run("assay", ["bench"] + Self.nowhere + ["--phone", folder.file("none")])
            #expect(noPhone.status == 65 && noPhone.err.contains("assay simulate phone"), "\(noPhone)")
            let noDaemon = try await Child.run("assay", ["bench"] + Self.nowhere + ["--mix", "challenge", "--json"])
            #expect(noDaemon.status == 69 && noDaemon.out.isEmpty, "\(noDaemon)")
            #expect(try noDaemon.failure()["reason"] as? String == "connect_failed", "\(noDaemon)")
        }
    }
}
