public import ArgumentParser
import AssayAPI
import AssayClient
import AssayCore
public import AssaySimulator
import AssayVirtualDevices

struct SimulateAndroidCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "android", abstract: "A virtual Android device: genuine chains, test root.",
        discussion: "It is kept in a folder, like a virtual iPhone. It signs messages, without a counter.",
        subcommands: [
            SimulateAndroidMakeCommand.self, SimulateAndroidAttestCommand.self, SimulateAndroidSignCommand.self,
            SimulateAndroidCaptureCommand.self, SimulateAndroidCSRCommand.self, SimulatePlayTokenCommand.self,
            SimulateAndroidSessionCommand.self,
        ])
}

struct SimulateAndroidMakeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "make", abstract: "Make a virtual Android device with a new key.",
        discussion: """
            An authority that is in the folder already is kept, and so are the keys of the Play Console. The root of the device's \
            chain is in root.pem.
            """)

    @Argument(help: "The folder to keep it in.")
    var folder: String

    @Option(help: ArgumentHelp("The package that makes the key.", valueName: "com.example.app"))
    var package: String

    @Option(
        parsing: .unconditional, help: ArgumentHelp("SHA-256 of the certificate that signs the package.", valueName: "bytes"))
    var signer: BytesArgument

    @Option(help: "The storage of the key.")
    var level: LevelArgument = .tee

    @Option(help: "How the device was provisioned: factory, remote or software. Default: the usual one for the level.")
    var provisioning: VirtualAndroid.Provisioning?

    @Option(help: "The root of the chain: rsa, p384 or software. Default: the usual one for the provisioning.")
    var root: AndroidAuthority.Root?

    @Option(help: "The kind of key: \(TestKey.Kind.allCases.map(\.rawValue).joined(separator: ", ")).")
    var key: TestKey.Kind = .p256

    @Option(help: "The version of the attestation: 1 to 4, or 100 to 500.")
    var attestationVersion: UInt64 = 400

    @Flag(help: "The bootloader is unlocked.")
    var unlocked = false

    func validate() throws {
        guard signer.bytes(wanting: 32).count == 32 else {
            throw ValidationError("--signer is a SHA-256, 32 bytes; this has \(signer.bytes.count).")
        }
    }

    func run() throws {
        let home = AndroidFolder(path: folder)
        let made = try home.make(
            { authority in
                var device = VirtualAndroid(
                    authority: authority, application: AttestedApplicationDraft(package, signer: signer.bytes(wanting: 32)),
                    level: level.level,
                    provisioning: provisioning, root: root)
                device.attestationVersion = attestationVersion
                if unlocked { device.rootOfTrust = .unlocked }
                return device
            }, kind: key)
        Console.print("key id  \(Base64.standard.encode(made.keyID))")
        Console.print("root    \(home.rootPath)")
        Console.print("play    \(home.playKeyPaths.joined(separator: ", "))")
    }
}

struct SimulateAndroidAttestCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "attest", abstract: "Attest the device's key over a REGISTER or PROVISION challenge.",
        discussion: "The chain is written as PEM, for --key-attestation of 'assay verify' and 'assay provision issue'.")

    @OptionGroup var options: SigningOptions

    @Option(help: "The purpose of the challenge.")
    var purpose = AttestedPurpose.register

    func run() throws {
        let key = try AndroidFolder(path: options.folder).readKey()
        let chain = try key.attest(challenge: try options.clientData(purpose.purpose), at: SystemClock().now())
        try options.write(text: AndroidKey.pem(chain), keyID: key.keyID)
    }
}

struct SimulateAndroidSignCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign", abstract: "Sign over a challenge, for 'assay verify --key-signature'.",
        discussion: """
            For a certificate (--purpose provision or renew) the payload is the DER of the certificate signing request; a signature \
            to renew is for 'assay provision renew --signature', if the key has a certificate.
            """)

    @OptionGroup var options: SigningOptions

    @Option(help: "The purpose of the challenge.")
    var purpose = SignedPurpose.assert

    @Option(help: "The algorithm. Default: the usual one for the key.")
    var algorithm: KeySignatureAlgorithm?

    func run() throws {
        let key = try AndroidFolder(path: options.folder).readKey()
        let signature: [UInt8]
        do {
            signature = try key.sign(try options.clientData(purpose.purpose), by: algorithm)
        } catch SimulatorError.invalidKey {
            throw ValidationError("A key of kind \(key.key.kind.rawValue) does not sign so.")
        }
        try options.write(signature, keyID: key.keyID)
    }
}

struct SimulateAndroidCaptureCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "capture",
        abstract: "Sign a capture offline, without a challenge, for 'assay verify --offline-signature'.",
        discussion: "The key signs the app, the time of the capture and the SHA-256 of the file.")

    @Argument(help: "The folder of the virtual device.")
    var folder: String

    @Argument(help: ArgumentHelp("The file that was captured, or - for standard input.", valueName: "file"))
    var file: FileArgument

    @Option(help: "The app, as the daemon's configuration names it.")
    var app: AppID

    @Option(
        help: ArgumentHelp("When the capture was made, in milliseconds since 1970. Default: now.", valueName: "ms"))
    var capturedAt: Int64?

    @Option(help: ArgumentHelp("The file to write. Default: Base64 on standard output.", valueName: "file"))
    var out: String?

    func run() throws {
        let key = try AndroidFolder(path: folder).readKey()
        let time = capturedAt.map { Timestamp(unixMilliseconds: $0) } ?? SystemClock().now()
        let capture = OfflineCapture(capturedAt: time, payload: try file.read(atMost: .max))
        let signature: [UInt8]
        do {
            signature = try key.sign(capture.signedBytes(for: app))
        } catch {
            throw ValidationError("A key of kind \(key.key.kind.rawValue) does not sign so.")
        }
        guard let out else { return Console.print(Base64.standard.encode(signature)) }
        try OutputFile.write(signature, to: out)
        Console.print("key id       \(Base64.standard.encode(key.keyID))")
        Console.print("captured at  \(time.unixMilliseconds)")
        Console.print("wrote        \(out), \(signature.count) bytes")
    }
}

struct SimulateAndroidSessionCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "session", abstract: "Run a session of a virtual Android device against a daemon.",
        discussion: """
            Registers the device's key, sends uploads, then replays and forges what was sent. Prints each verdict, and \
            the expected one if it differs. Exit status 1 if a verdict differs.
            """)

    @OptionGroup var server: ServerOptions

    @Argument(help: "The folder of the virtual device.")
    var folder: String

    @Option(help: "The app, as the daemon's configuration names it.")
    var app: AppID

    @Option(
        help: ArgumentHelp(
            "Expect a rejection of the registration for this reason, and end the session with it.", valueName: "code"))
    var refusal: ReasonCode?

    @Flag(help: "Print one JSON object a step.")
    var json = false

    func run() async throws {
        let session = SimulatedAndroidSession(
            key: try AndroidFolder(path: folder).readKey(), app: app, timeout: server.limit,
            registration: refusal.map { .rejected($0) } ?? SessionStep.registration)
        let steps = try await server.with { client throws(AssayError) in try await session.run(client) }
        try steps.show(json: json)
    }
}

/// The storage of a virtual device's key, as a command-line argument.
enum LevelArgument: String, CaseIterable, ExpressibleByArgument {
    case software, tee, strongbox

    var level: VirtualAndroid.Level {
        switch self {
        case .software: .software
        case .tee: .trustedEnvironment
        case .strongbox: .strongBox
        }
    }
}
extension VirtualAndroid.Provisioning: ExpressibleByArgument {}
extension AndroidAuthority.Root: ExpressibleByArgument {}
extension TestKey.Kind: ExpressibleByArgument {}
extension ReasonCode: ExpressibleByArgument {}
