import ArgumentParser
import AssayCore
import AssaySimulator
import AssayVirtualDevices
import Crypto

struct SimulatePlayTokenCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "play-token", abstract: "Make a Play Integrity token, for 'assay verify --play-token'.",
        discussion: """
            It is encrypted and signed with the device's own keys, which its folder has in the files of play_integrity.keys. \
            By itself it is for an ASSERT challenge. With --beside-attestation it is for the REGISTER challenge of \
            'attest', and bound to the device's key.
            """)

    @OptionGroup var options: SigningOptions

    @Flag(help: "Bind the token to the device's key, for a registration with both.")
    var besideAttestation = false

    @Option(help: "The kind of request: classic or standard.")
    var kind = PlayRequestArgument.classic

    @Option(help: ArgumentHelp("The package that Google names. Default: the device's own.", valueName: "com.example.app"))
    var package: String?

    @Option(help: ArgumentHelp("Google's verdict about the app.", valueName: "verdict"))
    var appVerdict = "PLAY_RECOGNIZED"

    @Option(help: ArgumentHelp("A label of the device; may be given several times, or once as 'none'.", valueName: "label"))
    var deviceVerdict = ["MEETS_DEVICE_INTEGRITY"]

    @Flag(help: "Mark it as a test response, whose content the tester chose.")
    var testing = false

    func validate() throws {
        guard !besideAttestation || (options.payload == nil && options.clientData == nil) else {
            throw ValidationError("--beside-attestation goes with --challenge alone: the key is the payload.")
        }
    }

    func run() throws {
        let folder = AndroidFolder(path: options.folder)
        let key = try folder.readKey()
        let clientData = try options.clientData(
            besideAttestation ? .register : .assert, payload: besideAttestation ? key.keyID : nil)
        let application = key.device.application
        var payload = kind.payload(
            package: package ?? String(decoding: application.packages.first?.name ?? [], as: UTF8.self),
            signer: application.signers.first ?? [],
            clientData: clientData, at: SystemClock().now())
        payload["appIntegrity", "appRecognitionVerdict"] = .text(appVerdict)
        payload["deviceIntegrity", "deviceRecognitionVerdict"] = .texts(deviceVerdict.filter { $0 != "none" })
        if testing { payload["testingDetails", "isTestingResponse"] = .boolean(true) }
        try options.write(text: try folder.readConsole().token(payload))
    }
}

enum PlayRequestArgument: String, CaseIterable, ExpressibleByArgument {
    case classic
    case standard

    /// Google's statement about a genuine app on a certified device.
    fileprivate func payload(package: String, signer: [UInt8], clientData: [UInt8], at now: Timestamp) -> JSONDraft {
        switch self {
        case .classic: .playPayload(package: package, signer: signer, nonce: clientData, at: now)
        case .standard: .playPayload(package: package, signer: signer, requestHash: SHA256.bytes(of: clientData), at: now)
        }
    }
}
