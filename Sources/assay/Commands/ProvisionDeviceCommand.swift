import ArgumentParser
import AssayAPI
import AssayClient
import AssayCore
import AssayEncoding
import Foundation

struct ProvisionDeviceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "device", abstract: "Provision a device of a fleet: certificate, key tables and secret.",
        discussion: """
            The serial number must be on the allow-list ('assay enrol add'), or a one-time token be given. A serial number and a \
            secret are provisioned once.

            Files in --out-dir, none of which may exist; those with secrets have mode 0600:
              certificate.pem   the device's certificate
              chain.pem         the CA's certificates, the issuer first
              key-tables.json   three tables of 1000 keys, and their numbers
              secret.hex        the device secret
              private-key.pem   only if no CSR was given, and Assay made the key

            Exit status 0 if the device was provisioned, 1 if that was refused.

            Example:
              assay provision device --app cameras --serial CAM-0042 \\
                  --csr camera/request.pem --out-dir camera
            """)

    @OptionGroup var server: ServerOptions

    @Option(help: "The app whose configuration has the fleet.")
    var app: AppID

    @Option(help: "The serial number that the manufacturer gave, 1 to 255 characters.")
    var serial: String

    @Option(help: "The device's family, at most 64 characters.")
    var family: String = ""

    @Option(
        help: ArgumentHelp(
            "The device secret, 32 bytes, raw or as text. Default: Assay makes one.", valueName: "file"))
    var secretFile: FileArgument?

    @Option(
        help: ArgumentHelp(
            "A certificate signing request of the device's P-256 key, PEM or DER. Without one Assay makes the key, if the configuration allows it.",
            valueName: "file"))
    var csr: FileArgument?

    @Option(help: ArgumentHelp("A one-time enrolment token.", valueName: "token"))
    var token: String?

    @Option(help: ArgumentHelp("A file with the token, or - for standard input.", valueName: "file"))
    var tokenFile: FileArgument?

    @Option(
        help: "Ask again under the same key and get the same answer, if it was lost; a private key is never sent again.")
    var idempotencyKey: String = ""

    @Option(help: ArgumentHelp("The folder for the files; made if it is missing.", valueName: "folder"))
    var outDir: String

    @Flag(help: "Print a JSON object, without secrets.")
    var json = false

    func validate() throws {
        guard token == nil || tokenFile == nil else { throw ValidationError("Give at most one of --token and --token-file.") }
    }

    func run() async throws {
        let request = FleetDeviceRequest(
            app: app, serial: serial, family: family, secret: try secretFile?.readSecret() ?? [],
            csr: try csr?.readCSR() ?? [],
            token: try token ?? tokenFile.map { String(decoding: try $0.readToken(), as: UTF8.self) } ?? "",
            idempotencyKey: Array(idempotencyKey.utf8))
        let folder = try ProvisionedFolder(path: outDir)
        let answer = try await server.with { client throws(AssayError) in
            try await client.provisionDevice(request, timeout: server.limit)
        }
        if answer.hasRejection {
            show(answer.rejection)
            throw ExitCode(1)
        }
        let files = try folder.write(answer)
        show(answer, files)
        if csr == nil, answer.devicePrivateKey.isEmpty {
            Console.note(
                "an earlier answer had the private key, which is not sent again: revoke the certificate if it is lost")
        }
    }

    private func show(_ rejection: Assay_V1_ProvisioningRejection) {
        if json {
            Console.print(json: [
                "decision": "rejected", "reason": rejection.reason, "detail": rejection.detail, "retry": rejection.retry.name,
            ])
        } else {
            Console.print(Console.styled("REJECTED", .bad) + "  \(rejection.reason) (retry: \(rejection.retry.name))")
            Console.print("  \(rejection.detail)")
        }
    }

    private func show(_ answer: Assay_V1_ProvisionDeviceResponse, _ files: [String]) {
        if json {
            var object: [String: Any] = [
                "decision": "accepted", "repeated": answer.repeated, "device_serial": serial,
                "key_table_indices": answer.keyTableIndices, "files": files,
            ]
            object.add(device: "device_id", answer.deviceID)
            return Console.print(json: object)
        }
        let id = DeviceID(bytes: Array(answer.deviceID))?.description ?? ""
        Console.print(Console.styled("PROVISIONED", .good) + "  \(id)" + (answer.repeated ? "  [repeated]" : ""))
        Console.print("  tables  " + answer.keyTableIndices.map(String.init).joined(separator: ", "))
        for file in files { Console.print("  wrote   \(file)") }
    }
}

/// The folder for what a provisioned device gets.
private struct ProvisionedFolder {
    let path: String
    private static let names = ["certificate.pem", "chain.pem", "key-tables.json", "secret.hex", "private-key.pem"]

    /// Makes the folder. Throws if it has one of the files: an answer that cannot be written is not asked for.
    init(path: String) throws {
        self.path = path
        do {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw Console.unreadable("the folder \(path) cannot be made")
        }
        for name in Self.names where FileManager.default.fileExists(atPath: path + "/" + name) {
            throw Console.unreadable("\(path)/\(name) exists already, and is not replaced")
        }
        guard access(path, W_OK) == 0 else { throw Console.unreadable("the folder \(path) cannot be written") }
    }

    /// The files that were written.
    func write(_ answer: Assay_V1_ProvisionDeviceResponse) throws -> [String] {
        var files: [String] = []
        func write(_ text: String, _ name: String, mode: mode_t) throws {
            let file = path + "/" + name
            try OutputFile.write(text, to: file, mode: mode, existing: .keep)
            files.append(file)
        }
        // What cannot be had again comes first.
        if !answer.devicePrivateKey.isEmpty {
            try write(PEM.encode(answer.devicePrivateKey, label: "PRIVATE KEY"), "private-key.pem", mode: 0o600)
        }
        try write(Hex.encode(answer.deviceSecret) + "\n", "secret.hex", mode: 0o600)
        let tables: [String: Any] = [
            "key_table_indices": answer.keyTableIndices,
            "key_tables": answer.keyTables.map { $0.keys.map { Hex.encode($0) } },
        ]
        try write(Console.text(json: tables) + "\n", "key-tables.json", mode: 0o600)
        try write(PEM.encode(answer.deviceCertificate), "certificate.pem", mode: 0o644)
        try write(answer.certificateChain.pem, "chain.pem", mode: 0o644)
        return files
    }
}
