import ArgumentParser
import AssayCore
import AssayFiles
import AssayResults
import AssaySigning
import Foundation

struct ResultsNewKeyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "new-key", abstract: "Make a key that signs results.",
        discussion: """
            Writes NAME.key (the private key, encrypted PKCS#8) and NAME.passphrase, both of mode 0600, and prints what belongs into \
            the daemon's configuration. The passphrase is random, unless its file exists: then its first line is used. No file is \
            replaced.

              assay results new-key results-1

            With --pkcs11-module the key is made in a token and cannot leave it; NAME.pub.pem, its public key, is the only file.

              assay results new-key results-1 --pkcs11-module /usr/lib/softhsm/libsofthsm2.so \\
                  --token assay --pin-file token-pin

            P-256 suits everyone who checks results, Ed25519 most; P-384 costs more than ten times as much to sign. Exit status 65 \
            if a file exists already or cannot be written, or the token makes no such key.
            """)

    @Argument(help: ArgumentHelp("Names the files, and the key in a token: [a-z0-9._-]{1,64}.", valueName: "name"))
    var name: String

    @Option(help: "The kind of the key: p256, ed25519 or p384.")
    var algorithm = SigningAlgorithm.p256

    @Option(help: ArgumentHelp("The folder. Made with mode 0700 if it is missing. Default: this one.", valueName: "folder"))
    var folder = "."

    @Option(
        help: ArgumentHelp(
            "The file with the passphrase. Made with a random passphrase if it is missing. Default: NAME.passphrase in the folder.",
            valueName: "file"))
    var passphraseFile: String?

    @OptionGroup(title: "Key in a PKCS#11 token") var token: TokenOptions

    func validate() throws {
        guard AppID(name) != nil else { throw ValidationError("A name is of the form [a-z0-9._-]{1,64}.") }
        guard !token.isGiven || passphraseFile == nil else {
            throw ValidationError("A key in a token has a --pin-file, and no --passphrase-file.")
        }
    }

    func run() async throws {
        do throws(CredentialFileError) {
            if let place = try token.place(of: name) {
                try await make(in: place)
            } else {
                try makeFiles()
            }
        } catch {
            throw Console.unreadable(error.description)
        }
    }

    private func path(_ ending: String) -> String { "\(folder)/\(name).\(ending)" }

    private func makeFolder() throws(CredentialFileError) {
        do {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw CredentialFileError(folder, "cannot be made")
        }
    }

    private func makeFiles() throws(CredentialFileError) {
        let files = NewKeyFiles(key: path("key"), passphrase: passphraseFile ?? path("passphrase"))
        let key = SigningKey.random(algorithm)
        try makeFolder()
        let isNew = try files.write(key)
        Console.print(name)
        Console.print("  \(files.key)  private key of \(algorithm.name), encrypted")
        Console.print("  \(files.passphrase)  the passphrase of the key, \(isNew ? "made now" : "as it was")")
        printIdentifier(key.publicKey)
        printConfiguration(
            ["file: \(CAText.quoted(path: files.key))", "passphrase_file: \(CAText.quoted(path: files.passphrase))"])
    }

    private func make(in place: NewTokenKey) async throws(CredentialFileError) {
        let file = path("pub.pem")
        guard !FileManager.default.fileExists(atPath: file) else {
            throw CredentialFileError(file, "exists already, and is not replaced")
        }
        try makeFolder()
        let made = try await place.token.makeKey(
            algorithm, label: place.label, ifTaken: "; name another one with --key-label")
        do throws(NewFileError) {
            try NewFile.create(file, Array(PublicKeyFile.text(made.signer.publicKey).utf8), mode: 0o644)
        } catch {
            throw CredentialFileError(
                file,
                "\(error.description); the key \"\(made.settings.keyLabel)\" was made in the token: remove it by the token's own tool"
            )
        }
        Console.print(name)
        Console.print(
            "  the key \(CAText.quoted(made.settings.keyLabel)) of the token \(CAText.quoted(made.settings.tokenLabel))  private key of \(algorithm.name)"
        )
        Console.print("  \(file)  its public key")
        printIdentifier(made.signer.publicKey)
        printConfiguration(
            ["pkcs11:"] + CAText.lines(of: made.settings).map { "  " + $0 } + ["public_key: \(CAText.quoted(path: file))"])
    }

    private func printIdentifier(_ publicKey: [UInt8]) {
        guard let key = JSONWebKey(subjectPublicKeyInfo: publicKey) else { return }
        Console.print("  kid \(Base64.url.encode(key.thumbprint))")
    }

    /// The key as an entry of the daemon's configuration.
    private func printConfiguration(_ lines: [String]) {
        Console.print("")
        Console.print("In the daemon's configuration, after the keys that are there:")
        Console.print("")
        Console.print("results:")
        Console.print("  keys:")
        for (index, line) in lines.enumerated() { Console.print((index == 0 ? "    - " : "      ") + line) }
    }
}

extension SigningAlgorithm: ExpressibleByArgument {}
