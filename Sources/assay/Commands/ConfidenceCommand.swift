public import ArgumentParser
import AssayConfiguration
public import AssayCore
import AssaySchemes
import Crypto

struct ConfidenceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "confidence", abstract: "Show the confidence in a capture, or try out signals.",
        discussion: """
            No daemon is asked. In a verdict signals count only if the device signed them; here nothing is verified.
            """,
        subcommands: [ConfidenceShowCommand.self, ConfidenceScoreCommand.self])
}

struct ConfidenceShowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show an evidence model, of this version, of an older one, or of another program.",
        discussion: "Exit status 65 if the file is no evidence model.")

    @Argument(help: "The evidence model as JSON, or '-' for standard input.")
    var file: FileArgument

    @Flag(help: "Print a JSON object.")
    var json = false

    func run() throws {
        let bytes = try file.read(atMost: EvidenceModel.sizeLimit)
        let model: EvidenceModel
        do throws(Rejection) {
            model = try EvidenceModel(parsing: bytes)
        } catch {
            throw Console.unreadable("\(file.path): \(error.detail)")
        }
        ConfidenceText(model).print(asJSON: json)
    }
}

struct ConfidenceScoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "score", abstract: "Compute the confidence that signals would give.",
        discussion: """
            The signals count as if a device had signed them. The rule is that of an app of --config, or that of a profile with its usual \
            numbers. The time of a capture is judged only with --received-at. Exit status 65 if the file is no document of signals.
            """)

    @Argument(help: "The signals about a capture, as JSON, or '-' for standard input.")
    var file: FileArgument

    @Option(help: "The kind of device.")
    var platform: DevicePlatform

    @Option(help: "The strength of the attestation.")
    var assurance = AssuranceArgument(.secureElement)

    @Option(help: "The profile. Default: that of the app, or weighted.")
    var profile: ConfidenceProfile?

    @Option(help: ArgumentHelp("Apply the rule of an app in this configuration.", valueName: "file"))
    var config: String?

    @Option(help: "The app, as the configuration names it.")
    var app: AppID?

    @Option(help: ArgumentHelp("Judge the time of the capture as received at this time (RFC 3339).", valueName: "time"))
    var receivedAt: Timestamp?

    @Flag(help: "Print a JSON object.")
    var json = false

    func validate() throws {
        guard (config == nil) == (app == nil) else { throw ValidationError("Give --config and --app together.") }
        guard config == nil || profile == nil else { throw ValidationError("Give --profile without --config.") }
    }

    func run() throws {
        let bytes = try file.read(atMost: SignalDocument.sizeLimit)
        let document: SignalDocument
        do throws(Rejection) {
            document = try SignalDocument(parsing: bytes)
            try document.checkSize(ofUpload: bytes.count)
        } catch {
            throw Console.unreadable("\(file.path): \(error.detail)")
        }
        let scene = SceneAnalysis(counted: document, digest: Array(SHA256.hash(data: bytes)))
        let confidence = try rule().assess(
            scene, platform: platform, HardwareAttestation(assurance.assurance, platform: platform, simulated: false),
            receivedAt: receivedAt)
        ConfidenceText(EvidenceModel(confidence)).print(asJSON: json)
        guard !json else { return }
        for note in confidence.notes { Console.print("  note      \(note.code.rawValue): \(note.detail)") }
    }

    private func rule() throws -> ConfidenceRule {
        guard let config, let app else { return ConfidenceRule(profile: profile ?? .weighted) }
        let configuration: Configuration
        do throws(ConfigurationError) {
            configuration = try Configuration.load(config)
        } catch {
            throw Console.unreadable(error.description)
        }
        guard let named = configuration.live.apps.first(where: { $0.id == app }) else {
            throw Console.unreadable("\(config) has no app \(app)")
        }
        guard let rule = named.confidence else { throw Console.unreadable("the app \(app) has no section confidence") }
        return rule
    }
}

extension ConfidenceText {
    fileprivate func print(asJSON: Bool) {
        if asJSON { Console.print(json: json) } else { lines.forEach(Console.print) }
    }
}

extension DevicePlatform: ExpressibleByArgument {}

extension ConfidenceProfile: ExpressibleByArgument {}

/// The strength of an attestation, by its name. The parser shows cases with numbers by their numbers.
struct AssuranceArgument: ExpressibleByArgument {
    let assurance: Assurance

    init(_ assurance: Assurance) { self.assurance = assurance }

    init?(argument: String) {
        guard let assurance = Self.all.first(where: { $0.name == argument }) else { return nil }
        self.assurance = assurance
    }

    private static var all: [Assurance] { Assurance.allCases.filter { $0 > .none } }
    static var allValueStrings: [String] { all.map(\.name) }
    static var defaultCompletionKind: CompletionKind { .list(allValueStrings) }
    var defaultValueDescription: String { assurance.name }
}
