import ArgumentParser

/// What an audit log is compared with, as both mains are told it.
package struct AuditCheckOptions: ParsableArguments {
    @Option(help: ArgumentHelp("A head that was kept elsewhere; may be given more than once.", valueName: "hash[:number]"))
    var expectHead: [String] = []

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
            return check
        } catch {
            throw ValidationError(error.description)
        }
    }
}
