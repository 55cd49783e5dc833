import AssayCore
import Foundation
import Testing

@testable import DaemonTesting

extension ProcessTests {
    /// Durations of options that a daemon sees.
    @Suite("Durations of options in calls")
    struct CommandDurationTests {
        @Test("A challenge's lifetime and a call's time limit are durations, or seconds")
        func challenge() async throws {
            let daemon = try await TestDaemon(try TestHome())
            let server = ["--server", try daemon.address("tcp")]
            let words = ["challenge", "--app", "camera", "--purpose", "assert", "--json"] + server
            for (ttl, seconds) in [("5m", 300), ("300", 300), ("90s", 90), ("1h", 3600), ("2.5", 2.5), ("2500ms", 2.5)] {
                let before = Timestamp(unixMilliseconds: Int64(Date().timeIntervalSince1970 * 1000))
                let ending = try await Child.run("assay", words + ["--ttl", ttl, "--timeout", "20s"])
                let after = Timestamp(unixMilliseconds: Int64(Date().timeIntervalSince1970 * 1000))
                let object = try #require(try JSONSerialization.jsonObject(with: Data(ending.out.utf8)) as? [String: Any])
                let expiry = try #require((object["expires_at"] as? String).flatMap { Timestamp(rfc3339: $0) })
                let lifetime = Int64(seconds * 1000)
                #expect(
                    expiry >= before.adding(milliseconds: lifetime) && expiry <= after.adding(milliseconds: lifetime), "\(ttl)")
            }
            let long = try await Child.run("assay", words.filter { $0 != "--json" } + ["--ttl", "2h"])
            #expect(long.status == 65 && long.err.contains("must be at most 3600000, which is 1h"), "\(long)")
            #expect(await daemon.stop().status == 0)
        }
    }
}
