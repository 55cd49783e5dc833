import ArgumentParser
import AssayConfiguration
import AssayCore
import AssayEncoding
import AssaySimulator
import AssayVirtualDevices
import Crypto

struct SimulateCameraCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "camera", abstract: "A virtual camera of a fleet: a key, a CSR, and signed bundles.",
        discussion: """
            The camera lives in a folder. 'assay provision device --out-dir' of the same folder puts its certificate there.

            Example:
              assay simulate camera make camera --serial CAM-0042
              assay simulate camera csr camera --out request.pem
              assay provision device --app cameras --serial CAM-0042 \\
                  --csr request.pem --out-dir camera
              assay simulate camera sign camera photo.jpg --out bundle.json
              assay verify --app cameras --bundle bundle.json
            """,
        subcommands: [SimulateCameraMakeCommand.self, SimulateCameraCSRCommand.self, SimulateCameraSignCommand.self])
}

struct SimulateCameraMakeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "make", abstract: "Make a virtual camera with a new P-256 key.",
        discussion: "The private key is in key.pem, unencrypted: the camera is for tests.")

    @Argument(help: "The folder to keep it in.")
    var folder: String

    @Option(help: "The serial number of the camera.")
    var serial: String

    func run() throws {
        let camera = VirtualCamera(serial: serial)
        try CameraFolder(path: folder).save(camera)
        Console.print("serial  \(serial.printable)")
        Console.print("key id  \(Base64.standard.encode(SHA256.bytes(of: camera.key.subjectPublicKeyInfo)))")
    }
}

struct SimulateCameraCSRCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "csr", abstract: "Make a certificate signing request of the camera's key.")

    @Argument(help: "The folder of the virtual camera.")
    var folder: String

    @Option(help: ArgumentHelp("The file to write, PEM. Default: standard output.", valueName: "file"))
    var out: String?

    func run() throws {
        let camera = try CameraFolder(path: folder).read()
        try RequestOutput.write(try made { () throws(SimulatorError) in try camera.certificateRequest() }, to: out)
    }
}

struct SimulateCameraSignCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign", abstract: "Sign the bundle of a file, for 'assay verify --bundle'.",
        discussion: "The bundle is JSON. Its image hash is the SHA-256 of the file.")

    @Argument(help: "The folder of the virtual camera.")
    var folder: String

    @Argument(help: ArgumentHelp("The file that the camera took, or - for standard input.", valueName: "file"))
    var file: FileArgument

    @Option(
        help: ArgumentHelp("The camera's certificate, PEM or DER. Default: certificate.pem in the folder.", valueName: "file"))
    var certificate: FileArgument?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The hash of the place, 32 bytes. Default: none.", valueName: "bytes"))
    var gpsHash: BytesArgument?

    @Option(help: ArgumentHelp("When the file was taken, e.g. 2026-04-21T18:13:13Z. Default: now.", valueName: "time"))
    var taken: Timestamp?

    @Option(help: ArgumentHelp("The file to write. Default: standard output.", valueName: "file"))
    var out: String?

    func validate() throws {
        guard gpsHash.map({ $0.bytes(wanting: 32).count == 32 }) ?? true else {
            throw ValidationError("--gps-hash is a SHA-256, 32 bytes.")
        }
    }

    func run() throws {
        let home = CameraFolder(path: folder)
        let camera = try home.read()
        let digest = SHA256.bytes(of: try file.read(atMost: .max))
        let der = try certificate?.readCertificate() ?? home.readCertificate()
        let bundle = try made { () throws(SimulatorError) in
            try camera.bundle(
                imageHash: digest, certificate: der, at: taken ?? SystemClock().now(),
                locationHash: gpsHash?.bytes(wanting: 32))
        }
        guard let out else { return Console.print(String(decoding: bundle, as: UTF8.self)) }
        try OutputFile.write(bundle, to: out)
        Console.print("wrote   \(out), \(bundle.count) bytes")
    }
}

struct SimulateAndroidCSRCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "csr", abstract: "Make a certificate signing request of the device's key.",
        discussion: """
            The evidence for it is a key attestation over a PROVISION challenge ('attest --purpose provision'), which attests the \
            same key.
            """)

    @Argument(help: "The folder of the virtual device.")
    var folder: String

    @Option(help: ArgumentHelp("The file to write, PEM. Default: standard output.", valueName: "file"))
    var out: String?

    func run() throws {
        let key = try AndroidFolder(path: folder).readKey()
        try RequestOutput.write(try made { () throws(SimulatorError) in try key.certificateRequest() }, to: out)
    }
}

/// Where a certificate signing request goes, as PEM.
private enum RequestOutput {
    static func write(_ request: [UInt8], to path: String?) throws {
        let text = PEM.encode(request, label: "CERTIFICATE REQUEST")
        guard let path else { return Console.write(Array(text.utf8)) }
        try OutputFile.write(text, to: path)
        Console.print("wrote   \(path)")
    }
}

private func made<T>(_ make: () throws(SimulatorError) -> T) throws -> T {
    do throws(SimulatorError) { return try make() } catch {
        throw Console.unreadable("the virtual device cannot sign: \(error)")
    }
}

extension FileArgument {
    /// The first certificate of a file, as DER.
    fileprivate func readCertificate() throws -> [UInt8] {
        let bytes = try read()
        let certificates: [[UInt8]]
        do throws(Rejection) { certificates = try CertificateFile.read(bytes) } catch {
            throw Console.unreadable("\(path): \(error.detail)")
        }
        guard let first = certificates.first else { throw Console.unreadable("\(path) has no certificate") }
        return first
    }
}
