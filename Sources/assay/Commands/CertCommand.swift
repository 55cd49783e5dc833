import ArgumentParser
import AssayAPI
import AssayClient
import AssayCore
import AssayEncoding
import Foundation

struct CertCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cert", abstract: "List, show and revoke device certificates.",
        discussion: """
            A certificate is named by its serial number in hexadecimal, in the forms in which OpenSSL and verdicts show it: with or \
            without colons, leading zeros, 0x and serial=, in either case. Certificates of CAs that have left the configuration are found \
            too. The caller needs the role 'provision' or 'devices'.
            """,
        subcommands: [CertListCommand.self, CertGetCommand.self, CertRevokeCommand.self],
        defaultSubcommand: CertListCommand.self)

    static let issuerHelp = ArgumentHelp(
        "SHA-256 of the SubjectPublicKeyInfo of the CA that issued it, 32 bytes. Needed only if two CAs used the serial number.",
        valueName: "bytes")
}

struct CertListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List an app's certificates, in the order in which they were issued.",
        discussion: """
            Example:
              assay cert list --app cameras --state revoked
              assay cert list --app cameras --serial CAM-0042
            """)

    enum State: String, CaseIterable, ExpressibleByArgument {
        case good, revoked

        fileprivate var message: Assay_V1_DeviceCertificate.State {
            switch self {
            case .good: .good
            case .revoked: .revoked
            }
        }
    }

    @OptionGroup var server: ServerOptions

    @Option(help: "The app that the certificates belong to.")
    var app: AppID

    @Option(help: ArgumentHelp("Only certificates of this device.", valueName: "dev_…"))
    var device: DeviceID?

    @Option(
        help: ArgumentHelp(
            "Only certificates of the devices that were provisioned under this serial number of a fleet, replaced ones included. "
                + "A certificate's own serial number is for 'assay cert get'.",
            valueName: "serial"))
    var serial: String?

    @Option(help: "Only certificates in this state. An expired certificate that was not revoked is good.")
    var state: State?

    @Option(help: ArgumentHelp("Stop after this many certificates.", valueName: "count"))
    var limit: Int?

    @Flag(help: "Print one JSON object a line.")
    var json = false

    func validate() throws {
        if let limit, limit < 1 { throw ValidationError("--limit must be at least 1.") }
        if let serial, serial.isEmpty { throw ValidationError("--serial must not be empty.") }
    }

    func run() async throws {
        let shown = try await server.with { client throws(AssayError) in
            try await PageReader.show(limit) { token throws(AssayError) in
                let page = try await client.certificates(
                    app: app, device: device, deviceSerial: serial ?? "", state: state?.message ?? .unspecified,
                    pageToken: token, timeout: server.limit)
                return (page.certificates, page.nextPageToken)
            } each: {
                show($0)
            }
        }
        if shown == 0 {
            Console.sayEmpty("no certificate of the app \(app) is on record\(isFiltered ? " that is as asked for" : "")")
        }
    }

    private var isFiltered: Bool { device != nil || serial != nil || state != nil }

    private func show(_ certificate: Assay_V1_DeviceCertificate) {
        if json { Console.print(json: certificate.json, pretty: false) } else { Console.print(certificate.row) }
    }
}

struct CertGetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "get", abstract: "Show a certificate's record, or write the certificate.",
        discussion: """
            The certificate is named by its serial number or, with --key-id, by the SHA-256 of the certified key's \
            SubjectPublicKeyInfo.

            Exit status 1 if there is no such certificate or, with --out, if its device was forgotten, so that it is deleted.

            Example:
              assay cert get --app cameras --key-id hex:3f9a… --out camera.pem
            """)

    @OptionGroup var server: ServerOptions

    @Option(help: "The app that the certificate belongs to.")
    var app: AppID

    @Argument(help: ArgumentHelp("The serial number: \(SerialArgument.forms).", valueName: "serial"))
    var serial: SerialArgument?

    @Option(parsing: .unconditional, help: ArgumentHelp("The id of the certified key, 32 bytes.", valueName: "bytes"))
    var keyID: BytesArgument?

    @Option(parsing: .unconditional, help: CertCommand.issuerHelp)
    var issuer: BytesArgument?

    @Option(help: ArgumentHelp("Write the certificate to this file, PEM.", valueName: "file"))
    var out: String?

    @Flag(help: "Print a JSON object.")
    var json = false

    func validate() throws {
        guard (serial == nil) != (keyID == nil) else { throw ValidationError("Give either a serial number or --key-id.") }
        guard keyID == nil || issuer == nil else { throw ValidationError("--issuer goes with a serial number.") }
    }

    func run() async throws {
        let certificate = try await server.with { client throws(AssayError) in
            if let serial {
                return try await client.certificate(
                    serial: serial.bytes, issuer: issuer?.bytes(wanting: 32) ?? [], app: app, timeout: server.limit)
            }
            return try await client.certificate(keyID: keyID?.bytes(wanting: 32) ?? [], app: app, timeout: server.limit)
        }
        if let out {
            guard !certificate.certificate.isEmpty else {
                throw Console.failure("certificate_deleted", "the device was forgotten, and its certificate deleted")
            }
            try OutputFile.write(PEM.encode(certificate.certificate), to: out)
        }
        if json {
            Console.print(json: certificate.json)
        } else {
            certificate.lines.forEach(Console.print)
            if let out { Console.print("wrote   \(out)") }
        }
    }
}
