import ArgumentParser
import AssayConfiguration
import AssayCore
import AssaySchemes
import Crypto
import Foundation

struct InspectCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect", abstract: "Explain evidence: its kind, its content, and the result of each check.",
        discussion: """
            The file is an App Attest attestation, assertion or receipt (raw, or Base64 text), an Android chain in PEM, a Play \
            Integrity token, an answer of Google's service about one, a SafetyNet response, certificates (PEM, or one in DER), a \
            challenge, or a depth map (gzip of 32-bit floats). A token's keys come from --config.

            Nothing is sent and nothing is spent. A check whose input is not given is not judged; the \
            others are, and every failure is shown. Bytes are given as \(ByteText.forms). Where a form, \
            JSON or a second encoding changed the evidence on its way, that is undone and told.

            Exit status 0 if all checks are judged and good, 1 if one fails, 2 if none fails and not all are judged, 65 if the file \
            breaks where a check reads it.
            """)

    @Argument(help: "The file, or '-' for standard input.")
    var file: FileArgument

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The platform's key id.", valueName: "bytes"))
    var keyID: BytesArgument?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The challenge that the device signed, as 'assay challenge' printed it.", valueName: "bytes"))
    var challenge: BytesArgument?

    @Option(help: "The purpose of the challenge. Default: the usual one for the evidence.")
    var purpose: Purpose?

    @Option(help: ArgumentHelp("The payload that the device bound, with --challenge.", valueName: "file"))
    var payload: FileArgument?

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
    var counter: UInt32?

    @Option(help: ArgumentHelp("Google's list of revoked Android attestation certificates, as JSON.", valueName: "file"))
    var revocationList: FileArgument?

    @Option(help: ArgumentHelp("Apply the policy of an app in this configuration.", valueName: "file"))
    var config: String?

    @Option(help: "The app, as the configuration names it.")
    var app: AppID?

    @Option(help: ArgumentHelp("Appraise as of this time (RFC 3339). Default: now.", valueName: "time"))
    var at: Timestamp?

    @Option(help: ArgumentHelp("The width of a depth map: 246 to 266. Default: 256.", valueName: "pixels"))
    var width: Int?

    @Option(help: ArgumentHelp("The height of a depth map: 182 to 202. Default: 192.", valueName: "pixels"))
    var height: Int?

    @Flag(help: "Judge a depth map's edges by the strict constant.")
    var strict = false

    @Option(
        help: ArgumentHelp(
            "Write a picture of a depth map: its depths and edges, its layers, and what each number is compared with. PNG.",
            valueName: "file"))
    var plot: String?

    @Flag(help: "Print a JSON object.")
    var json = false

    func validate() throws {
        guard (config == nil) == (app == nil) else { throw ValidationError("Give --config and --app together.") }
        guard [challenge != nil, clientData != nil, clientDataHash != nil].count(where: { $0 }) <= 1 else {
            throw ValidationError("Give at most one of --challenge, --client-data and --client-data-hash.")
        }
        guard payload == nil || challenge != nil else { throw ValidationError("--payload goes with --challenge.") }
        guard width.map(DepthMap.Geometry.widths.contains) ?? true else {
            throw ValidationError("A depth map is 246 to 266 pixels wide.")
        }
        guard height.map(DepthMap.Geometry.heights.contains) ?? true else {
            throw ValidationError("A depth map is 182 to 202 pixels high.")
        }
    }

    func run() throws {
        let now = at ?? Timestamp(unixMilliseconds: Int64(Date().timeIntervalSince1970 * 1000))
        let evidence = try file.readEvidenceText()
        var input = InspectionInput(bytes: evidence.bytes, now: now)
        input.keyID = keyID?.bytes(wanting: 32) ?? evidence.keyID
        input.purpose = purpose
        input.clientData =
            try clientData.map { try $0.read() } ?? challengedData(for: Inspectors.builtIn.inspector(of: input.bytes))
        input.clientDataHash = clientDataHash?.bytes(wanting: 32) ?? input.clientData.map { Array(SHA256.hash(data: $0)) }
        input.publicKey = try publicKey.map { try Self.point($0.bytes(wanting: 65)) }
        input.counter = counter
        input.revocation = try revocationList.map { try Self.list($0) }
        input.depth.width = width ?? input.depth.width
        input.depth.height = height ?? input.depth.height
        input.depth.isStrict = strict
        let text = InspectionText(
            inspection: try inspect(input), transport: evidence.remarks, isJudgedNow: at == nil)
        if let plot { try draw(input, kind: text.inspection.kind, to: plot) }
        if json { Console.print(json: text.json) } else { text.lines.forEach(Console.print) }
        guard text.isWhole else { throw ExitCode(65) }
        guard text.inspection.isGood else { throw ExitCode(1) }
        guard text.inspection.isFullyJudged else { throw ExitCode(2) }
    }

    /// Assay's own client data, in the form that `assay verify` expects of such evidence.
    private func challengedData(for inspector: any EvidenceInspector) throws -> [UInt8]? {
        guard let challenge else { return nil }
        let hash = try payload.map { Array(SHA256.hash(data: try $0.read(atMost: .max))) }
        let bytes = challenge.bytes(wanting: Challenge.length)
        guard
            let data = ClientData(
                purpose: purpose ?? (inspector.registers ? .register : .assert), challenge: bytes, payloadHash: hash)
        else { throw ValidationError("A challenge has \(Challenge.length) bytes, this has \(bytes.count).") }
        return data.bytes
    }

    /// Writes the picture of a depth map. Of a map that cannot be read there is none; the explanation says why.
    private func draw(_ input: InspectionInput, kind: InspectedKind, to path: String) throws {
        guard kind == .depthMap else {
            throw Console.unreadable("\(file.path) is not a depth map, and --plot draws nothing else")
        }
        guard let map = try? DepthMap(input) else { return }
        guard let image = DepthPlot(map, strict: strict).file else {
            throw Console.unreadable("zlib has no memory for the picture")
        }
        try OutputFile.write(image, to: path)
    }

    private static func list(_ file: FileArgument) throws -> RevocationSnapshot {
        let text = try file.read()
        do throws(RevocationListError) {
            return try RevocationList.snapshot(of: text)
        } catch {
            throw Console.unreadable("\(file.path): \(error)")
        }
    }

    private func inspect(_ input: InspectionInput) throws -> Inspection {
        guard let config, let app else { return Inspection(input) }
        let configuration: Configuration
        do throws(ConfigurationError) {
            configuration = try Configuration.load(config)
        } catch {
            throw Console.unreadable(error.description)
        }
        guard let profile = configuration.live.apps.first(where: { $0.id == app }) else {
            throw Console.unreadable("\(config) has no app \(app)")
        }
        return Inspection(
            input,
            for: InspectionSubject(
                app: profile.id, sections: profile.sectionsByKey, testRoots: configuration.live.testRoots))
    }

    /// The uncompressed point of a key in any encoding.
    private static func point(_ bytes: [UInt8]) throws -> [UInt8] {
        if bytes.count == 65 { return bytes }
        guard let key = try? P256.Signing.PublicKey(derRepresentation: bytes) else {
            throw Console.unreadable("--public-key is neither a P-256 point nor a SubjectPublicKeyInfo of one")
        }
        return Array(key.x963Representation)
    }
}
