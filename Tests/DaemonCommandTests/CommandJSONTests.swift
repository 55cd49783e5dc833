import AssayCore
import Foundation
import Testing

@testable import DaemonTesting

extension ProcessTests {
    /// What commands write with `--json` when a daemon refuses or lacks what they ask for.
    @Suite("Failures of calls as JSON")
    struct CommandJSONTests {
        @Test("With a daemon: what it refuses, and what it has not")
        func calls() async throws {
            let home = try TestHome(
                listen: ["unix: assay.sock"],
                callers: "{known: [{name: handler, unix_user: \(getuid()), roles: [verify, devices], apps: all}]}")
            let daemon = try await TestDaemon(home)
            let server = ["--server", try daemon.address("unix"), "--json"]
            let unknown = "dev_" + String(repeating: "0", count: 32)
            for (words, code, reason, retry, status) in [
                (["status"], "PERMISSION_DENIED", "permission_denied", "contact_operator", 77),
                (["device", "get", unknown, "--app", "camera"], "NOT_FOUND", "unknown_device", "never", 1),
                (
                    ["challenge", "--app", "camera", "--purpose", "assert", "--ttl", "2h"], "INVALID_ARGUMENT",
                    "invalid_request", "never", 65
                ),
                (["cert", "list", "--app", "camera", "--state", "good"], nil, nil, nil, 0),
            ] as [([String], String?, String?, String?, Int32)] {
                let ending = try await Child.run("assay", words + server)
                #expect(ending.status == status && ending.out.isEmpty, "\(words) \(ending)")
                guard let code else {
                    #expect(ending.err.isEmpty)
                    continue
                }
                let error = try ending.failure()
                #expect(error["code"] as? String == code && error["reason"] as? String == reason, "\(ending)")
                #expect(error["retry"] as? String == retry, "\(ending)")
            }
            let unblocked = try await Child.run(
                "assay", ["device", "unblock", "--app", "camera", "--subject", "anna"] + server)
            #expect(unblocked.status == 1 && unblocked.out.contains("\"was_blocked\" : false"), "\(unblocked)")
            #expect(try unblocked.failure()["reason"] as? String == "no_such_block")
            #expect(await daemon.stop().status == 0)
        }
    }
}
