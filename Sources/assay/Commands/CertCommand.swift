public import ArgumentParser
import AssayAPI
import AssayClient
public import AssayCore
import AssayEncoding
import Foundation

struct CertCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cert", abstract: "List, show and revoke device certificates.",
        discussion: """
            A certificate is named by its serial number in hexadecimal. The caller needs the role 'provision' or 'devices'.
            """,
        subcommands: [CertListCommand.self, CertGetCommand.self, CertRevokeCommand.self],
        defaultSubcommand: CertListCommand.self)
}

struct CertListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List an app's certificates, in the order in which they were issued.",
        discussion: """
            Example:
              assay cert list --app cameras --state revoked
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

    @Option(help: "Only certificates in this state. An expired certificate that was not revoked is good.")
    var state: State?

    @Option(help: ArgumentHelp("Stop after this many certificates.", valueName: "count"))
    var limit: Int?

    @Flag(help: "Print one JSON object a line.")
    var json = false

    func validate() throws {
        if let limit, limit < 1 { throw ValidationError("--limit must be at least 1.") }
    }

    func run() async throws {
        try await server.with { client throws(AssayError) in
            try await PageReader.show(limit) { token throws(AssayError) in
                let page = try await client.certificates(
                    app: app, device: device, state: state?.message ?? .unspecified, pageToken: token, timeout: server.limit)
                return (page.certificates, page.nextPageToken)
            } each: {
                show($0)
            }
        }
    }

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

    @Argument(help: ArgumentHelp("The serial number, hexadecimal.", valueName: "serial"))
    var serial: SerialArgument?

    @Option(parsing: .unconditional, help: ArgumentHelp("The id of the certified key, 32 bytes.", valueName: "bytes"))
    var keyID: BytesArgument?

    @Option(help: ArgumentHelp("Write the certificate to this file, PEM.", valueName: "file"))
    var out: String?

    @Flag(help: "Print a JSON object.")
    var json = false

    func validate() throws {
        guard (serial == nil) != (keyID == nil) else { throw ValidationError("Give either a serial number or --key-id.") }
    }

    func run() async throws {
        let certificate = try await server.with { client throws(AssayError) in
            if let serial { return try await client.certificate(serial: serial.bytes, app: app, timeout: server.limit) }
            return try await client.certificate(keyID: keyID?.bytes(wanting: 32) ?? [], app: app, timeout: server.limit)
        }
        if let out {
            guard !certificate.certificate.isEmpty else {
                Console.error("the device was forgotten, and its certificate deleted")
                throw ExitCode(1)
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

struct CertRevokeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke", abstract: "Revoke a certificate permanently.",
        discussion: """
            From then on evidence that rests on the certificate is rejected as revoked, and the next revocation list of its CA names \
            it. A revocation cannot be lifted. The device can get another certificate, unless it is blocked ('assay device block'): \
            by attesting a new key, or, in a fleet, by being readmitted ('assay enrol readmit') and provisioned again.

            On a terminal the certificate is shown and the revocation must be confirmed. Without one, and in scripts, give --yes.

            Exit status 1 if there is no such certificate, or if the revocation was not confirmed; 64 without a terminal and without \
            --yes. A certificate that was revoked before keeps its reason and time, and the exit status is 0.

            Example:
              assay cert revoke --app cameras 4ad1… --reason keyCompromise --yes
            """)

    /// The longest comment, in bytes.
    private static let commentLimit = 256

    @OptionGroup var server: ServerOptions

    @Option(help: "The app that the certificate belongs to.")
    var app: AppID

    @Argument(help: ArgumentHelp("The serial number, hexadecimal.", valueName: "serial"))
    var serial: SerialArgument

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("SHA-256 of the SubjectPublicKeyInfo of the CA that issued it. Default: found.", valueName: "bytes"))
    var issuer: BytesArgument?

    @Option(help: ArgumentHelp("The reason, as RFC 5280 names it. Default: unspecified.", valueName: "reason"))
    var reason: RevocationReason?

    @Option(help: "For the audit log: at most 256 bytes. It cannot be deleted there, so name no person.")
    var comment: String = ""

    @Flag(name: .shortAndLong, help: "Do not ask for confirmation.")
    var yes = false

    @Flag(help: "Print a JSON object.")
    var json = false

    func validate() throws {
        guard comment.utf8.count <= Self.commentLimit else {
            throw ValidationError("--comment must have at most \(Self.commentLimit) bytes.")
        }
    }

    func run() async throws {
        if !yes { try await confirm() }
        let answer = try await server.with { client throws(AssayError) in
            try await client.revoke(
                serial: serial.bytes, issuer: issuer?.bytes(wanting: 32) ?? [], app: app, reason: reason ?? .unspecified,
                comment: comment,
                timeout: server.limit)
        }
        if json {
            Console.print(json: ["certificate": answer.certificate.json, "was_revoked": answer.wasRevoked])
        } else {
            let revocation = answer.certificate.revocation
            let time = Timestamp(unixMilliseconds: revocation.revokedAtUnixMs)
            Console.print(
                "\(Hex.encode(answer.certificate.serial)) " + (answer.wasRevoked ? "was revoked before" : "revoked")
                    + ": \(revocation.reason.name) at \(time)")
        }
    }

    /// Shows what will be revoked, and throws unless the operator confirms.
    private func confirm() async throws {
        guard Console.canAsk else {
            throw ValidationError(
                "A revocation cannot be lifted, and there is no terminal on which to ask. Give --yes to revoke without asking.")
        }
        let certificate = try await server.with { client throws(AssayError) in
            try await client.certificate(serial: serial.bytes, app: app, timeout: server.limit)
        }
        certificate.lines.forEach(Console.say)
        guard Console.confirms("Revoke this certificate permanently?") else {
            Console.error("nothing was revoked")
            throw ExitCode(1)
        }
    }
}

extension RevocationReason: ExpressibleByArgument {
    public init?(argument: String) {
        guard let reason = Self.allCases.first(where: { $0.name == argument }) else { return nil }
        self = reason
    }
    public static var allValueStrings: [String] { allCases.map(\.name) }
    /// The names alone; without this the parser shows the numbers as names.
    public static var allValueDescriptions: [String: String] { [:] }
}
