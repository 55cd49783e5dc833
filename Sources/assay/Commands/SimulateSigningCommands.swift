import ArgumentParser
import AssayCore
import AssaySimulator
import Crypto
import Foundation

/// What a virtual phone signs, and where the result goes.
struct SigningOptions: ParsableArguments {
    @Argument(help: "The folder of the virtual phone.")
    var folder: String

    @Option(parsing: .unconditional, help: ArgumentHelp("What 'assay challenge' printed.", valueName: "bytes"))
    var challenge: BytesArgument?

    @Option(help: ArgumentHelp("A payload to bind.", valueName: "file"))
    var payload: FileArgument?

    @Option(help: ArgumentHelp("Sign the app's own client data instead.", valueName: "file"))
    var clientData: FileArgument?

    @Option(help: ArgumentHelp("Where to write; Base64 on standard output if left out.", valueName: "file"))
    var out: String?

    func validate() throws {
        guard (challenge == nil) != (clientData == nil) else {
            throw ValidationError("Give either --challenge or --client-data.")
        }
        guard clientData == nil || payload == nil else { throw ValidationError("--payload goes with --challenge.") }
    }

    func clientDataHash(_ purpose: Purpose) throws -> [UInt8] {
        if let clientData { return Array(SHA256.hash(data: try clientData.read())) }
        let payloadHash = try payload.map { Array(SHA256.hash(data: try $0.read())) }
        guard let data = ClientData(purpose: purpose, challenge: challenge?.bytes ?? [], payloadHash: payloadHash) else {
            throw ValidationError("A challenge has \(Challenge.length) bytes, this has \(challenge?.bytes.count ?? 0).")
        }
        return data.hash
    }

    func write(_ evidence: [UInt8], key: VirtualKey) throws {
        guard let out else { return Console.print(Base64.standard.encode(evidence)) }
        do {
            try Data(evidence).write(to: URL(fileURLWithPath: out))
        } catch {
            throw ValidationError("\(out): \(error.localizedDescription)")
        }
        Console.print("key id  \(Base64.standard.encode(key.keyID))")
        Console.print("wrote   \(out), \(evidence.count) bytes")
    }
}

struct SimulateAttestCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "attest", abstract: "Attest the phone's key over a REGISTER challenge.")

    @OptionGroup var options: SigningOptions

    func run() throws {
        let key = try PhoneFolder(path: options.folder).readKey()
        let evidence = try key.attest(clientDataHash: try options.clientDataHash(.register), at: SystemClock().now())
        try options.write(evidence, key: key)
    }
}

struct SimulateAssertCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "assert", abstract: "Sign an assertion over an ASSERT challenge, with the next counter value.")

    @OptionGroup var options: SigningOptions

    func run() throws {
        let folder = PhoneFolder(path: options.folder)
        var key = try folder.readKey()
        let evidence = try key.assert(clientDataHash: try options.clientDataHash(.assert))
        try folder.save(key)
        try options.write(evidence, key: key)
    }
}
