import ArgumentParser

/// What an audit log is compared with, as both mains are told it.
package struct AuditCheckOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "A head that was kept elsewhere: its hash, HASH:NUMBER, or as status and log show it; may be given more than once.",
            valueName: "head"))
    var expectHead: [String] = []

    @Option(
        help: ArgumentHelp(
            "Where the log has to begin: the number of its first record, or the head before it, HASH:NUMBER.",
            valueName: "start"))
    var expectStart: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The ledger's public key, by which signed heads are verified.", valueName: "base64url"))
    var publicKey: String?

    package init() {}

    /// A new check of that. Throws `ValidationError`.
    package func check() throws -> AuditCheck {
        do throws(AuditCheckError) {
            var check = try AuditCheck(publicKey: publicKey)
            for head in expectHead { try check.expect(head) }
            if let expectStart { try check.expectStart(expectStart) }
            return check
        } catch {
            throw ValidationError(error.description)
        }
    }
}
