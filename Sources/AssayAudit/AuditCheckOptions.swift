import ArgumentParser

/// What an audit log is compared with, as both mains are told it.
package struct AuditCheckOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "A head that was kept elsewhere: its hash, HASH:NUMBER, or as status and log show it; may be given more than once. WRITER/ before it names one of several chains.",
            valueName: "head"))
    var expectHead: [String] = []

    @Option(
        help: ArgumentHelp(
            "Where the log has to begin: the number of its first record, or the head before it, HASH:NUMBER; once for each chain. WRITER/ before it names one of several chains.",
            valueName: "start"))
    var expectStart: [String] = []

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The ledger's public key, by which signed heads are verified.", valueName: "base64url"))
    var publicKey: String?

    package init() {}

    /// Throws `ValidationError`.
    package func expectations() throws -> AuditExpectations {
        do throws(AuditCheckError) {
            var expected = try AuditExpectations(publicKey: publicKey)
            for head in expectHead { try expected.expect(head) }
            for start in expectStart { try expected.expectStart(start) }
            return expected
        } catch {
            throw ValidationError(error.description)
        }
    }
}
