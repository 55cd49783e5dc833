import ArgumentParser
import AssayCore
import AssaySimulator
import AssayVirtualDevices
import Crypto
import Foundation

/// The input of a virtual device's signature, and where the result is written.
struct SigningOptions: ParsableArguments {
    @Argument(help: "The folder of the virtual device.")
    var folder: String

    @Option(parsing: .unconditional, help: ArgumentHelp("What 'assay challenge' printed.", valueName: "bytes"))
    var challenge: BytesArgument?

    @Option(help: ArgumentHelp("A payload to bind.", valueName: "file"))
    var payload: FileArgument?

    @Option(help: ArgumentHelp("Sign the app's own client data instead.", valueName: "file"))
    var clientData: FileArgument?

    @Option(help: ArgumentHelp("The file to write. Default: Base64 on standard output.", valueName: "file"))
    var out: String?

    func validate() throws {
        guard (challenge == nil) != (clientData == nil) else {
            throw ValidationError("Give either --challenge or --client-data.")
        }
        guard clientData == nil || payload == nil else { throw ValidationError("--payload goes with --challenge.") }
    }

    /// - Parameter other: the payload to bind in place of the option's.
    func clientData(_ purpose: Purpose, payload other: [UInt8]? = nil) throws -> [UInt8] {
        if let clientData { return try clientData.read() }
        // A certificate signing request is bound as its DER.
        let isForCertificate = purpose == .provision || purpose == .renew
        let payload = try other ?? payload.map { try isForCertificate ? $0.readCSR() : $0.read(atMost: .max) }
        let payloadHash = payload.map { Array(SHA256.hash(data: $0)) }
        guard
            let data = ClientData(
                purpose: purpose, challenge: challenge?.bytes(wanting: Challenge.length) ?? [], payloadHash: payloadHash)
        else {
            throw ValidationError("A challenge has \(Challenge.length) bytes, this has \(challenge?.bytes.count ?? 0).")
        }
        return data.bytes
    }

    func clientDataHash(_ purpose: Purpose) throws -> [UInt8] { Array(SHA256.hash(data: try clientData(purpose))) }

    func write(_ evidence: [UInt8], keyID: [UInt8]) throws {
        guard out != nil else { return Console.print(Base64.standard.encode(evidence)) }
        try writeFile(evidence, keyID: keyID)
    }

    /// Evidence that is text is written to standard output unchanged.
    func write(text: String, keyID: [UInt8]? = nil) throws {
        guard out != nil else { return Console.print(text) }
        try writeFile(Array(text.utf8), keyID: keyID)
    }

    private func writeFile(_ evidence: [UInt8], keyID: [UInt8]?) throws {
        guard let out else { return }
        do {
            try Data(evidence).write(to: URL(fileURLWithPath: out))
        } catch {
            throw Console.unreadable("\(out) cannot be written")
        }
        if let keyID { Console.print("key id  \(Base64.standard.encode(keyID))") }
        Console.print("wrote   \(out), \(evidence.count) bytes")
    }
}

struct SimulateAttestCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "attest", abstract: "Attest the phone's key over a REGISTER or PROVISION challenge.",
        discussion: "For a certificate (--purpose provision) the payload is the DER of the certificate signing request.")

    @OptionGroup var options: SigningOptions

    @Option(help: "The purpose of the challenge.")
    var purpose = AttestedPurpose.register

    func run() throws {
        let key = try PhoneFolder(path: options.folder).readKey()
        let evidence = try key.attest(clientDataHash: try options.clientDataHash(purpose.purpose), at: SystemClock().now())
        try options.write(evidence, keyID: key.keyID)
    }
}

struct SimulateAssertCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "assert", abstract: "Sign an assertion over a challenge, with the next counter value.",
        discussion: "For a certificate (--purpose provision) the payload is the DER of the certificate signing request.")

    @OptionGroup var options: SigningOptions

    @Option(help: "The purpose of the challenge.")
    var purpose = AssertedPurpose.assert

    func run() throws {
        let folder = PhoneFolder(path: options.folder)
        var key = try folder.readKey()
        let evidence = try key.assert(clientDataHash: try options.clientDataHash(purpose.purpose))
        try folder.save(key)
        try options.write(evidence, keyID: key.keyID)
    }
}

/// The purposes for which a key is attested.
enum AttestedPurpose: String, CaseIterable, ExpressibleByArgument {
    case register, provision

    var purpose: Purpose {
        switch self {
        case .register: .register
        case .provision: .provision
        }
    }
}

/// The purposes for which a registered phone signs. A certificate is renewed by its own key, which signs no assertions.
enum AssertedPurpose: String, CaseIterable, ExpressibleByArgument {
    case assert, provision

    var purpose: Purpose {
        switch self {
        case .assert: .assert
        case .provision: .provision
        }
    }
}

/// The purposes for which a key signs messages.
enum SignedPurpose: String, CaseIterable, ExpressibleByArgument {
    case assert, provision, renew

    var purpose: Purpose {
        switch self {
        case .assert: .assert
        case .provision: .provision
        case .renew: .renew
        }
    }
}
