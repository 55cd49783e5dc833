import Testing

extension ProcessTests {
    /// A short `make crash-test`: one round of each kind.
    @Suite("Crash test")
    struct CrashTests {
        @Test("A round of each kind finds nothing lost and nothing accepted twice")
        func short() async throws {
            let ending = try await Child(
                try Child.built("crash-test"), ["--rounds", "8", "--acceptances", "12"], within: .seconds(170)
            ).ending()
            #expect(ending.status == 0, "\(ending)")
            #expect(ending.out.hasSuffix("nothing was lost, and nothing came back\n"), "\(ending)")
            for kind in ["kill -9", "RLIMIT_FSIZE", "fsync", "SIGTERM", "read-only", "clock", "SQLITE_FULL", "backup"] {
                #expect(ending.out.contains(kind))
            }
        }

        @Test("Wrong usage and a missing daemon are reported")
        func usage() async throws {
            #expect(try await Child.run("crash-test", ["--rounds", "0"]).status == 64)
            let ending = try await Child.run("crash-test", ["--rounds", "1", "--daemon", "/nowhere/assayd"])
            #expect(ending.status == 69 && ending.out.contains("the test cannot go on"), "\(ending)")
        }
    }
}
