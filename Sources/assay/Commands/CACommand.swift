import ArgumentParser
import AssayCertificates
import AssayCore
import AssayEncoding
import AssayProvisioning
import AssaySigning
import Foundation

struct CACommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ca", abstract: "Make and show the CAs that issue device certificates.",
        discussion: """
            A CA is three files: NAME.pem (its certificate and those above it), NAME.key (its private key, encrypted PKCS#8) and \
            NAME.passphrase. The root signs issuing CAs only and is kept offline; the daemon has the key of the issuing CA. The key \
            of an issuing CA can be in a PKCS#11 token instead (--pkcs11-module): then NAME.pem is its only file.

            The commands that make files work without a daemon, write keys and passphrases with mode 0600, and never replace a file.
            """,
        subcommands: [
            CAInitCommand.self, CANextCommand.self, CAImportCommand.self, CARevocationListCommand.self, CAShowCommand.self,
            CAListCommand.self,
        ])
}

/// How a CA is named and how long it is valid.
struct CAOptions: ParsableArguments {
    @Option(help: "The curve of the keys: p256 or p384.")
    var algorithm = AuthorityCurve.p256

    @Option(
        help: ArgumentHelp("The organization in the names of the CAs. Default of 'next': that of the root.", valueName: "text"))
    var organization: String?

    @Option(help: ArgumentHelp("How long the issuing CA is valid. Default: 1825d.", valueName: "duration"))
    var validity: DurationArgument?

    @Option(help: .hidden)
    var days: Int64?

    @Option(
        help: ArgumentHelp(
            "The file with the passphrase of the issuing CA's key. Made with a random passphrase if it is missing. Default: "
                + "NAME.passphrase in the folder.", valueName: "file"))
    var passphraseFile: String?

    @Option(
        help: ArgumentHelp(
            "The file with the passphrase of the root's key. Default: root.passphrase in the folder.", valueName: "file"))
    var rootPassphraseFile: String?

    @OptionGroup(title: "Key of the issuing CA in a PKCS#11 token") var token: TokenOptions

    /// A hundred years, in milliseconds. A certificate's times are whole seconds.
    private static let longest: Int64 = 36_500 * 86_400_000

    /// Checks an option that takes a duration, or days under its earlier name.
    static func validity(
        _ given: DurationArgument?, _ days: Int64?, usual: Int64, _ name: String, _ earlier: String
    ) throws -> Int64 {
        guard given == nil || days == nil else { throw ValidationError("Give \(name) without \(earlier).") }
        let validity = given ?? DurationArgument(days: min(max(days ?? usual, 0), 1_000_000))
        guard (1000...longest).contains(validity.milliseconds) else {
            throw ValidationError(
                "\(days == nil ? name : earlier) must be from \(days == nil ? "1s to 36500d" : "1 to 36500").")
        }
        return validity.milliseconds
    }

    func issuingValidity() throws -> Int64 {
        try Self.validity(validity, days, usual: 1825, "--validity", "--days")
    }

    func validate() throws {
        guard !token.isGiven || passphraseFile == nil else {
            throw ValidationError("A key in a token has a --pin-file, and no --passphrase-file.")
        }
        _ = try issuingValidity()
    }

    func plan(name: String) throws -> AuthorityPlan {
        var plan = AuthorityPlan()
        (plan.name, plan.organization, plan.curve) = (name, organization, algorithm)
        plan.issuingValidity = try issuingValidity()
        return plan
    }

    func root(in folder: AuthorityFolder) -> AuthorityFiles {
        var files = folder.files(of: AuthorityFolder.rootName)
        if let rootPassphraseFile { files.passphrase = rootPassphraseFile }
        return files
    }

    func issuing(_ name: String, in folder: AuthorityFolder) -> AuthorityFiles {
        var files = folder.files(of: name)
        if let passphraseFile { files.passphrase = passphraseFile }
        return files
    }
}

extension AuthorityCurve: ExpressibleByArgument {}

struct CAInitCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init", abstract: "Make an offline root CA and the first issuing CA.",
        discussion: """
            Writes root.pem, root.key, root.passphrase, issuing-1.pem, issuing-1.key and issuing-1.passphrase, and prints what \
            belongs into the daemon's configuration and what is to be taken offline. Passphrases are random, unless the files \
            that hold them exist: then the first line is used, and no environment variable.

              assay ca init ca --organization "Example Cameras"

            With --pkcs11-module the key of the issuing CA is made in a token, signs there, and cannot leave it. The root's key is a \
            file in either case.

              assay ca init ca --pkcs11-module /usr/lib/softhsm/libsofthsm2.so \\
                  --token assay-ca --pin-file token-pin

            The root has room for one level of CAs below it, and they have none. Exit status 65 if a file exists already or \
            cannot be used.
            """)

    @Argument(help: ArgumentHelp("The folder. Made with mode 0700 if it is missing.", valueName: "folder"))
    var folder: String

    @Option(help: ArgumentHelp("The CAs are named \"<text> Root CA\" and \"<text> Issuing CA 1\".", valueName: "text"))
    var name = "Assay Device"

    @Option(help: ArgumentHelp("How long the root is valid. Default: 7300d.", valueName: "duration"))
    var rootValidity: DurationArgument?

    @Option(help: .hidden)
    var rootDays: Int64?

    @OptionGroup var options: CAOptions

    private func validity() throws -> Int64 {
        try CAOptions.validity(rootValidity, rootDays, usual: 7300, "--root-validity", "--root-days")
    }

    func validate() throws {
        guard try options.issuingValidity() <= validity() else {
            throw ValidationError("The issuing CA cannot be valid longer than the root.")
        }
    }

    func run() async throws {
        let folder = AuthorityFolder(folder)
        var plan = try options.plan(name: name)
        plan.rootValidity = try validity()
        do throws(CredentialFileError) {
            let made = try await folder.initialize(
                plan, root: options.root(in: folder), issuing: options.issuing("issuing-1", in: folder),
                in: try options.token.place(of: "issuing-1"), at: CAText.now)
            let text = CAText()
            made.forEach { text.show($0) }
            guard let root = made.first, let issuing = made.last else { return }
            text.showOffline(root)
            text.showConfiguration(issuing, name: "issuing-1")
        } catch {
            throw Console.unreadable(error.description)
        }
    }
}

struct CANextCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "next", abstract: "Make the next issuing CA, signed by the root.",
        discussion: """
            Needs root.pem, root.key and the root's passphrase, which were taken offline. Publish the new CA before it signs: add \
            it to the configuration with a 'signs_from' that lies after the time at which all who verify certificates know \
            it, and leave the old one there until its last certificate has ended: it signs its revocation list until then.

              assay ca next ca

            With --pkcs11-module its key is made in a token. Exit status 65 if a file exists already or cannot be used.
            """)

    @Argument(help: ArgumentHelp("The folder of 'assay ca init'.", valueName: "folder"))
    var folder: String

    @Option(
        help: ArgumentHelp(
            "The CA is named \"<text> Issuing CA <number>\". Default: as the root is named.", valueName: "text"))
    var name: String?

    @Option(
        help: ArgumentHelp(
            "When it begins to sign, as the printed configuration says (RFC 3339). Default: in 30 days.", valueName: "time"))
    var signsFrom: Timestamp?

    @OptionGroup var options: CAOptions

    func run() async throws {
        let folder = AuthorityFolder(folder)
        let root = options.root(in: folder)
        let label = "issuing-\(folder.nextNumber)"
        let now = CAText.now
        var plan = try options.plan(name: "")
        do throws(CredentialFileError) {
            if let name { plan.name = name } else { plan.name = try AuthorityFolder.planName(of: root) }
            if plan.organization == nil {
                let organizations = try AuthorityChain.read(root.certificate).issuer.subject.values(of: OID(2, 5, 4, 10))
                plan.organization = organizations.last.flatMap { String(validating: $0, as: UTF8.self) }
            }
            let made = try await folder.next(
                plan, root: root, issuing: options.issuing(label, in: folder), in: try options.token.place(of: label), at: now)
            let text = CAText()
            text.show(made)
            text.showConfiguration(made, name: label, signsFrom: signsFrom ?? now.adding(milliseconds: 30 * 86_400_000))
        } catch {
            throw Console.unreadable(error.description)
        }
    }
}

struct CAImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Take over a CA that was made elsewhere.",
        discussion: """
            Checks the chain (CA:TRUE, keyCertSign and cRLSign, path lengths, signatures up to a self-signed root, dates) and that \
            the key belongs to its first certificate, and writes both to the folder, the key encrypted under a passphrase of \
            the folder. The originals stay as they are.

              assay ca import ca --chain chain.pem --key ca.key --key-passphrase-file ca.pass

            Keys are PKCS#8 in PEM: P-256 or P-384, encrypted by PBES2 with AES. A key that is in a PKCS#11 token stays there: it has to \
            sign, and what the token says of its origin is printed.

              assay ca import ca --chain chain.pem --pkcs11-module /usr/lib/softhsm/libsofthsm2.so \\
                  --token assay-ca --pin-file token-pin

            A self-signed root is taken over too, with a warning: no list can revoke it, and its key is online.

            Exit status 65 if something does not check out, or if the folder has the CA already; then nothing is written.
            """)

    @Argument(help: ArgumentHelp("The folder. Made with mode 0700 if it is missing.", valueName: "folder"))
    var folder: String

    @Option(help: ArgumentHelp("PEM: the CA's certificate, then those above it, the root last.", valueName: "file"))
    var chain: String

    @Option(help: ArgumentHelp("The private key in PEM, mode 0600.", valueName: "file"))
    var key: String?

    @Option(help: ArgumentHelp("The file with the passphrase of --key, mode 0600.", valueName: "file"))
    var keyPassphraseFile: String?

    @Flag(help: "Accept a key that is not encrypted.")
    var plainKey = false

    @Option(help: ArgumentHelp("The CA's name here. Default: issuing-<number>.", valueName: "name"))
    var name: String?

    @Option(
        help: ArgumentHelp(
            "The file with the passphrase for the written key. Made with a random passphrase if it is missing. Default: "
                + "NAME.passphrase in the folder.", valueName: "file"))
    var passphraseFile: String?

    @OptionGroup(title: "Key in a PKCS#11 token") var token: TokenOptions

    func validate() throws {
        guard (key != nil) != token.isGiven else { throw ValidationError("Give either --key or --pkcs11-module.") }
        if token.isGiven {
            guard !plainKey, keyPassphraseFile == nil, passphraseFile == nil else {
                throw ValidationError("--plain-key and passphrases go with --key.")
            }
        } else if !plainKey, keyPassphraseFile == nil {
            throw ValidationError("Give --key-passphrase-file, or --plain-key.")
        }
        guard name.map({ AppID($0) != nil }) ?? true else { throw ValidationError("--name is of the form [a-z0-9._-]{1,64}.") }
    }

    func run() async throws {
        let folder = AuthorityFolder(folder)
        let label = name ?? "issuing-\(folder.nextNumber)"
        var files = folder.files(of: label)
        if let passphraseFile { files.passphrase = passphraseFile }
        do throws(CredentialFileError) {
            let made: MadeAuthority
            if let token = try token.token() {
                made = try await folder.takeOver(chainFile: chain, from: token, keyLabel: self.token.keyLabel, as: files)
            } else {
                made = try folder.takeOver(
                    chainFile: chain, keyFile: key ?? "", passphraseFile: keyPassphraseFile, allowsPlainKey: plainKey, as: files
                )
            }
            let text = CAText()
            text.show(made)
            text.warnOfRoot(made)
            text.showConfiguration(made, name: label)
        } catch {
            throw Console.unreadable(error.description)
        }
    }
}

struct CAShowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show the CAs of a folder, or the chain in a file, and check them.",
        discussion: """
            Needs no passphrase. Exit status 1 if a chain does not check out, 65 if there is none.
            """)

    @Argument(help: ArgumentHelp("A folder of 'assay ca', or a file of certificates in PEM.", valueName: "path"))
    var path: String

    @Flag(help: "Print one JSON object a line.")
    var json = false

    func run() throws {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
            throw Console.unreadable("\(path) is missing")
        }
        let files = isFolder.boolValue ? AuthorityFolder(path).certificateFiles : [path]
        guard !files.isEmpty else { throw Console.unreadable("\(path) has no certificate files (*.pem)") }
        var isGood = true
        for file in files {
            do throws(CredentialFileError) {
                let chain = try AuthorityChain.read(file)
                if json {
                    Console.print(json: CAText.json(chain, file), pretty: false)
                } else {
                    CAText.lines(chain, file).forEach(Console.print)
                }
            } catch {
                _ = Console.failure("chain_unusable", error.description)
                isGood = false
            }
        }
        guard isGood else { throw ExitCode(1) }
    }
}
