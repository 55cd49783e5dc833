import AssayTesting
import Foundation
import Testing

@testable import DaemonTesting

extension ProcessTests {
    /// The reference of the methods in `docs/reference/rpc`. The script ends with 77 where PyYAML is missing.
    @Suite("Documented methods", .enabled(if: Python.path != nil))
    struct DocumentedMethodsTests {
        @Test("A daemon reads every request that the reference of the methods shows")
        func requests() async throws {
            let folder = try TemporaryFolder()
            let daemon = try Child(try Child.built("assayd"), ["dev", "--port", "0"], environment: ["TMPDIR": folder.path])
            try await eventually("it says where it listens") {
                try #require(daemon.isRunning, "\(daemon.out)\(daemon.err)")
                return daemon.out.contains("The log:\n")
            }
            let address = try #require(daemon.out.firstMatch(of: /HTTP +(http:\S+)/)).1
            let script = Package.path("dev/write-rpc-pages.py")
            let ending = try await Child(try #require(Python.path), ["-B", script, "--try", String(address)]).ending()
            if ending.status == 77 { print(ending.out) } else { #expect(ending.status == 0, "\(ending)") }
            daemon.signal(SIGINT)
            #expect(await daemon.ending().status == 0)
        }
    }
}
