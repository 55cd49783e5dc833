import AssayClient
import AssayCore
import Foundation
import Testing

@testable import DaemonTesting

extension ProcessTests {
    /// Listings that find nothing.
    @Suite("Empty listings")
    struct ListingTests {
        @Test("A listing by a name that cannot be is an error with the nearest one, and one that has nothing says so")
        func listings() async throws {
            let home = try TestHome()
            let daemon = try await TestDaemon(home)
            let server = ["--server", try daemon.address("tcp")]
            let client = try await daemon.connect()
            let phone = home.phone()
            #expect(try await phone.register(client).outcome == "accepted")
            for (words, answer) in [
                (
                    ["verdicts", "list", "--reason", "devce_blocked"],
                    "No reason is called \"devce_blocked\". Did you mean \"device_blocked\"?"
                ),
                (["verdicts", "list", "--app", "camra"], "the daemon has no app \"camra\"; did you mean \"camera\"?"),
                (["policy", "list", "--app", "camra"], "did you mean \"camera\"?"),
                (["policy", "shadow", "--app", "nothing"], "the daemon has no app \"nothing\"; there are camera, other"),
                (["audit", "tail", "--app", "camra"], "did you mean \"camera\"?"),
                (["watch", "--app", "camra"], "did you mean \"camera\"?"),
            ] {
                let ending = try await Child.run("assay", words + server)
                let status: Int32 = words.contains("--reason") ? 64 : 65
                #expect(ending.status == status && ending.out.isEmpty && ending.err.contains(answer), "\(words) \(ending)")
            }
            // A list is an argument, and what there is not of those ends with 1 everywhere.
            let list = try await Child.run("assay", ["feeds", "show", "andriod"] + server)
            #expect(list.status == 1 && list.err.contains("the daemon has no list \"andriod\""), "\(list)")
            for (words, answer) in [
                (["verdicts", "list", "--reason", "a_plugins_own"], "no verdict that is as asked for is on record"),
                (["verdicts", "list", "--rejected"], "no verdict that is as asked for is on record"),
                (["device", "list", "--app", "other"], "no device of the app other is on record"),
                (
                    ["device", "list", "--app", "camera", "--state", "blocked"],
                    "no device of the app camera is on record that is as asked for"
                ),
                (["device", "blocks", "--app", "camera"], "nothing is blocked in the app camera"),
                (["cert", "list", "--app", "camera"], "no certificate of the app camera is on record"),
                (["key", "list"], "there are no API keys"), (["webhooks", "list"], "the configuration has no webhooks"),
                (["plugin", "quarantine", "list"], "no evidence is quarantined"),
                (["ca", "list"], "the configuration has no CAs that issue certificates"),
                (["audit", "tail", "--caller", "nobody"], "the audit log has no record that is as asked for"),
            ] {
                let ending = try await Child.run("assay", words + server)
                #expect(ending.status == 0 && ending.out.isEmpty && ending.err == answer + "\n", "\(words) \(ending)")
                let json = try await Child.run("assay", words + server + ["--json"])
                #expect(json.status == 0 && json.err.isEmpty, "\(words) \(json)")
                #expect(json.out.isEmpty || json.out.contains("[\n") || json.out.contains("[]"), "\(words) \(json)")
            }
            let listed = try await Child.run("assay", ["device", "list", "--app", "camera"] + server)
            #expect(listed.status == 0 && listed.lines.count == 1 && listed.err.isEmpty, "\(listed)")
            #expect(await daemon.stop().status == 0)
        }
    }
}
