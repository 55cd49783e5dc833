import ArgumentParser
import AssayCore
import AssayEncoding
import AssayProvisioning
import AssaySigning

struct CARevocationListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "crl", abstract: "Sign the revocation list of the offline root.",
        discussion: """
            Needs root.pem, root.key and the root's passphrase, which were taken offline. Writes root.crl (DER) and root.crl.pem to the \
            folder. Those who check each certificate of a chain, such as nginx, want this list beside those that the daemon \
            signs, also an empty one. Sign a new one before its next update.

              assay ca crl ca
              assay ca crl ca --revoke ca/issuing-1.pem --reason cACompromise

            CAs that stand on the list in the folder stay on the new one: keep the file with the root. Exit status 65 if something \
            does not check out.
            """)

    @Argument(help: ArgumentHelp("The folder of 'assay ca init'.", valueName: "folder"))
    var folder: String

    @Option(help: ArgumentHelp("The certificate of an issuing CA that is revoked now. May be repeated.", valueName: "file"))
    var revoke: [String] = []

    @Option(help: ArgumentHelp("The reason, as RFC 5280 names it. Default: unspecified.", valueName: "reason"))
    var reason: RevocationReason?

    @Option(help: ArgumentHelp("The time to the next update. Default: 365d.", valueName: "duration"))
    var validity: DurationArgument?

    @Option(help: .hidden)
    var days: Int64?

    @Option(
        help: ArgumentHelp(
            "The file with the passphrase of the root's key. Default: root.passphrase in the folder.", valueName: "file"))
    var rootPassphraseFile: String?

    func validate() throws {
        _ = try untilNext()
        guard reason == nil || !revoke.isEmpty else { throw ValidationError("--reason goes with --revoke.") }
    }

    private func untilNext() throws -> Int64 {
        try CAOptions.validity(validity, days, usual: 365, "--validity", "--days")
    }

    func run() async throws {
        let validity = try untilNext()
        let folder = AuthorityFolder(folder)
        var root = folder.files(of: AuthorityFolder.rootName)
        if let rootPassphraseFile { root.passphrase = rootPassphraseFile }
        let list: RootList
        do throws(CredentialFileError) {
            list = try await folder.nextRootList(
                root, revoking: revoke, for: reason ?? .unspecified, validity: validity, at: CAText.now)
        } catch {
            throw Console.unreadable(error.description)
        }
        try OutputFile.write(PEM.encode(list.der, label: "X509 CRL"), to: folder.rootList + ".pem")
        // Last: what stands on this file stands on all later lists.
        try OutputFile.write(list.der, to: folder.rootList)
        let count = list.content.revoked.count
        Console.print("number  \(list.content.number), \(count) \(count == 1 ? "certificate" : "certificates")")
        Console.print("from    \(list.content.thisUpdate) to \(list.content.nextUpdate)")
        Console.print("wrote   \(folder.rootList)")
        Console.print("wrote   \(folder.rootList).pem")
    }
}
