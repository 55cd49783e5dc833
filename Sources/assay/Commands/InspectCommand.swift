import ArgumentParser
import AssayCore
import AssayHost
import Crypto
import Foundation

struct InspectCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect", abstract: "Explain evidence: what it is, what stands in it, and what each check says.",
        discussion: """
            The file is an App Attest attestation, assertion or receipt (raw, or Base64 text), an Android chain in PEM, a Play \
            Integrity token, what Google's service answered about one, a SafetyNet response, or certificates (PEM, or one in DER). \
            A token's keys come from --config.

            Nothing is sent anywhere and nothing is spent. Without a configuration the platform's own checks are made, for any App ID.

            Exit status 0 if everything can be read and no check fails, 1 if a check fails, 65 if the file breaks.
            """)

    @Argument(help: "The file, or '-' for standard input.")
    var file: FileArgument

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The platform's key id; by default that of the attested key.", valueName: "bytes"))
    var keyID: BytesArgument?

    @Option(help: ArgumentHelp("The client data that the device signed.", valueName: "file"))
    var clientData: FileArgument?

    @Option(parsing: .unconditional, help: ArgumentHelp("The clientDataHash that the device signed.", valueName: "bytes"))
    var clientDataHash: BytesArgument?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The registered key of an assertion: a P-256 point (65 bytes) or SubjectPublicKeyInfo.", valueName: "bytes"))
    var publicKey: BytesArgument?

    @Option(help: ArgumentHelp("The last accepted counter, for an assertion.", valueName: "number"))
    var counter: UInt32 = 0

    @Option(help: ArgumentHelp("Judge under the policy of an app in this configuration.", valueName: "file"))
    var config: String?

    @Option(help: "The app, as the configuration names it.")
    var app: AppID?

    @Option(help: ArgumentHelp("Judge as of this time (RFC 3339); by default now.", valueName: "time"))
    var at: Timestamp?

    @Flag(help: "Print a JSON object.")
    var json = false

    func validate() throws {
        guard (config == nil) == (app == nil) else { throw ValidationError("Give --config and --app together.") }
        guard clientData == nil || clientDataHash == nil else {
            throw ValidationError("Give at most one of --client-data and --client-data-hash.")
        }
    }

    func run() throws {
        let now = at ?? Timestamp(unixMilliseconds: Int64(Date().timeIntervalSince1970 * 1000))
        var input = InspectionInput(bytes: try file.readEvidence(), now: now)
        input.keyID = keyID?.bytes
        input.clientData = try clientData.map { Array(try $0.read()) }
        input.clientDataHash = clientDataHash?.bytes ?? input.clientData.map { Array(SHA256.hash(data: $0)) }
        input.publicKey = try publicKey.map { try Self.point($0.bytes) }
        input.counter = counter
        let text = InspectionText(inspection: try inspect(input), isJudgedNow: at == nil)
        if json { Console.print(json: text.json) } else { text.lines.forEach(Console.print) }
        guard text.isWhole else { throw ExitCode(65) }
        guard text.isGood else { throw ExitCode(1) }
    }

    private func inspect(_ input: InspectionInput) throws -> Inspection {
        guard let config, let app else { return Inspection(input) }
        let configuration: Configuration
        do throws(ConfigurationError) {
            configuration = try Configuration.load(config)
        } catch {
            throw Console.unreadable(error.description)
        }
        guard let profile = configuration.apps.first(where: { $0.id == app }) else {
            throw Console.unreadable("\(config) has no app \(app)")
        }
        return Inspection(input, under: profile, testRoots: configuration.testRoots)
    }

    /// The uncompressed point of a key, however it is wrapped.
    private static func point(_ bytes: [UInt8]) throws -> [UInt8] {
        if bytes.count == 65 { return bytes }
        guard let key = try? P256.Signing.PublicKey(derRepresentation: bytes) else {
            throw Console.unreadable("--public-key is neither a P-256 point nor a SubjectPublicKeyInfo of one")
        }
        return Array(key.x963Representation)
    }
}
