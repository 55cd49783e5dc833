import Testing

@testable import DaemonTesting

extension ProcessTests {
    /// A short `make crash-test`: one round of each kind.
    @Suite("Crash test")
    struct CrashTests {
        /// Callers with as much load as can be leave no processor to the tests beside them; the commands by hand have them.
        private let pace = ["--pace", "20"]

        @Test("A round of each kind finds nothing lost and nothing accepted twice")
        func short() async throws {
            let ending = try await Child(
                try Child.built("crash-test"), ["--rounds", "8", "--acceptances", "12"] + pace, within: .seconds(1500)
            ).ending()
            #expect(ending.status == 0, "\(ending)")
            #expect(ending.out.hasSuffix("nothing was lost, and nothing came back\n"), "\(ending)")
            for kind in ["kill -9", "RLIMIT_FSIZE", "fsync", "SIGTERM", "read-only", "clock", "SQLITE_FULL", "backup"] {
                #expect(ending.out.contains(kind))
            }
        }

        @Test(
            "Daemons, servers and network of a shared ledger fail, each in its way: nothing is lost and nothing accepted twice",
            .needsServer)
        func failover() async throws {
            let ending = try await Child(
                try Child.built("crash-test"), ["failover", "--acceptances", "10"] + pace, within: .seconds(1500)
            ).ending()
            #expect(ending.status == 0, "\(ending)")
            #expect(ending.out.hasSuffix("nothing was lost, and nothing was accepted twice\n"), "\(ending)")
            for kind in [
                "kill -9 of a daemon", "promotion", "SIGSTOP", "standby away", "former primary", "crashes", "terminated",
            ] {
                #expect(ending.out.contains(kind))
            }
        }

        @Test(
            "Daemons are exchanged one after the other, and one goes back, under load: nothing is lost and nothing accepted twice",
            .needsServer)
        func upgrade() async throws {
            // Both are the same version here. `make upgrade-test` has an earlier one.
            let assayd = try Child.built("assayd")
            let ending = try await Child(
                try Child.built("crash-test"), ["upgrade", "--from", assayd, "--daemons", "2", "--acceptances", "10"] + pace,
                within: .seconds(1500)
            ).ending()
            #expect(ending.status == 0, "\(ending)")
            #expect(ending.out.hasSuffix("nothing was lost, and nothing was accepted twice\n"), "\(ending)")
            for step in ["assayd migrate", "daemon-2 is exchanged", "goes back"] { #expect(ending.out.contains(step)) }
        }

        @Test("Wrong usage and a missing daemon are reported")
        func usage() async throws {
            #expect(try await Child.run("crash-test", ["--rounds", "0"]).status == 64)
            #expect(try await Child.run("crash-test", ["failover", "--daemons", "1"]).status == 64)
            for command in ["run", "failover"] {
                let ending = try await Child.run("crash-test", [command, "--rounds", "1", "--daemon", "/nowhere/assayd"])
                #expect(ending.status == 69 && ending.out.contains("the test cannot go on"), "\(ending)")
            }
        }
    }
}
