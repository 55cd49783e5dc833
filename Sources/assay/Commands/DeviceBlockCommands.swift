import ArgumentParser
import AssayAPI
import AssayClient
import AssayCore

/// The target of a block: a device, or all devices of a subject or a key.
struct BlockOptions: ParsableArguments {
    @OptionGroup var server: ServerOptions

    @Option(help: "The app of the device, subject or key.")
    var app: AppID

    @Argument(help: ArgumentHelp("A device's id.", valueName: "dev_…"))
    var id: DeviceID?

    @Option(help: "An account or user: every device that is or will be registered for it.")
    var subject: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The key id of a device or of a certificate, whether it is known or not.", valueName: "bytes"))
    var keyID: BytesArgument?

    @Flag(help: "Print a JSON object.")
    var json = false

    func validate() throws {
        guard [id != nil, subject != nil, keyID != nil].count(where: { $0 }) == 1 else {
            throw ValidationError("Give one of a device id, --subject and --key-id.")
        }
    }

    var target: BlockSubject {
        if let id { return .device(id) }
        if let keyID { return .key(keyID.bytes(wanting: 32)) }
        return .subject(Array((subject ?? "").utf8))
    }
}

struct DeviceBlockCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "block", abstract: "Refuse a device, or all devices of a subject or a key.",
        discussion: """
            From then on evidence of the devices is rejected as device_blocked, and so are new registrations of the subject \
            or key. Blocking again replaces the reason.

            Certificates of the devices are revoked for good. A key may also be one that Assay certified ('assay cert get' shows its \
            key id): then its certificate and those renewed from it are revoked, and the key is not certified again.
            """)

    @OptionGroup var options: BlockOptions

    @Option(help: "The reason, for other operators: at most 256 bytes. No verdict contains it.")
    var reason: String

    func run() async throws {
        let answer = try await options.server.with { client throws(AssayError) in
            try await client.block(options.target, app: options.app, reason: reason, timeout: options.server.limit)
        }
        if options.json {
            Console.print(
                json: [
                    "devices": answer.devices, "was_blocked": answer.wasBlocked,
                    "revoked_certificates": answer.revokedCertificates,
                ])
        } else {
            let certificates =
                answer.revokedCertificates == 0
                ? "" : ", \(answer.revokedCertificates.counted("certificate")) revoked"
            Console.print(
                (answer.wasBlocked ? "still blocked" : "blocked")
                    + ": \(answer.devices.counted("registered device"))\(certificates)")
        }
    }
}

struct DeviceUnblockCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unblock", abstract: "Lift a block.",
        discussion: """
            Lifts the block of exactly what is named: a device that is blocked by its subject or key too stays blocked.

            Exit status 1 if there was nothing to lift.
            """)

    @OptionGroup var options: BlockOptions

    func run() async throws {
        let answer = try await options.server.with { client throws(AssayError) in
            try await client.unblock(options.target, app: options.app, timeout: options.server.limit)
        }
        if options.json {
            Console.print(json: [
                "devices": answer.devices, "was_blocked": answer.wasBlocked, "still_blocked": answer.stillBlocked,
            ])
        }
        guard answer.wasBlocked else { throw Console.failure("no_such_block", "there was no such block") }
        if !options.json {
            let rest = answer.stillBlocked == 0 ? "" : ", \(answer.stillBlocked) still blocked otherwise"
            Console.print("unblocked: \(answer.devices.counted("registered device"))\(rest)")
        }
    }
}

extension UInt32 {
    /// `1 device`, `2 devices`.
    fileprivate func counted(_ noun: String) -> String { "\(self) \(noun)" + (self == 1 ? "" : "s") }
}

struct DeviceBlocksCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "blocks", abstract: "List what is blocked in an app, why, and since when.",
        discussion: """
            Blocks are listed by kind, whether or not one of their devices is registered: devices, subjects, keys. The keys of \
            blocked devices that were forgotten are among the keys.

            The ledger keeps only a keyed hash of a subject, which does not reveal the subject. --subject asks whether a \
            given one is blocked; in the same way --device and --key-id ask for the block of exactly that device \
            or key. A device without a block of its own can still be blocked by its subject or key: 'assay device get' shows \
            everything that blocks it.

            Exit status 1 if exactly one block is asked for, and there is none, or no such device.
            """)

    enum Kind: String, CaseIterable, ExpressibleByArgument {
        case device, subject, key

        fileprivate var message: Assay_V1_Device.Block.Kind {
            switch self {
            case .device: .device
            case .subject: .subject
            case .key: .key
            }
        }
    }

    @OptionGroup var server: ServerOptions

    @Option(help: "The app of the blocks.")
    var app: AppID

    @Option(help: "Only blocks of this kind.")
    var kind: Kind?

    @Option(help: ArgumentHelp("Only the block of exactly this device.", valueName: "dev_…"))
    var device: DeviceID?

    @Option(help: "Only the block of exactly this account or user.")
    var subject: String?

    @Option(parsing: .unconditional, help: ArgumentHelp("Only the block of exactly this key id.", valueName: "bytes"))
    var keyID: BytesArgument?

    @Option(help: ArgumentHelp("Stop after this many blocks.", valueName: "count"))
    var limit: Int?

    @Flag(help: "Print one JSON object a line.")
    var json = false

    func validate() throws {
        guard [kind != nil, device != nil, subject != nil, keyID != nil].count(where: { $0 }) <= 1 else {
            throw ValidationError("Give at most one of --kind, --device, --subject and --key-id.")
        }
        if let limit, limit < 1 { throw ValidationError("--limit must be at least 1.") }
    }

    func run() async throws {
        guard let target else { return try await list() }
        let block = try await server.with { client throws(AssayError) in
            try await client.findBlock(of: target, app: app, timeout: server.limit)
        }
        guard let block else {
            throw Console.failure("no_such_block", "there is no such block")
        }
        show(block)
    }

    private var target: BlockSubject? {
        if let device { return .device(device) }
        if let keyID { return .key(keyID.bytes(wanting: 32)) }
        return subject.map { .subject(Array($0.utf8)) }
    }

    private func list() async throws {
        let shown = try await server.with { client throws(AssayError) in
            try await PageReader.show(limit) { token throws(AssayError) in
                let page = try await client.blocks(
                    app: app, kind: kind?.message ?? .unspecified, pageToken: token, timeout: server.limit)
                return (page.blocks, page.nextPageToken)
            } each: {
                show($0)
            }
        }
        if shown == 0 { Console.sayEmpty("nothing is blocked in the app \(app)\(kind.map { " by \($0.rawValue)" } ?? "")") }
    }

    private func show(_ block: Assay_V1_BlockRecord) {
        if json { Console.print(json: block.json, pretty: false) } else { Console.print(block.row) }
    }
}
