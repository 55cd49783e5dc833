import ArgumentParser
import AssayAPI
import AssayClient
import AssayCore

struct DeviceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "device", abstract: "Show a device record.",
        discussion: "The device is named by its id (dev_…) or, with --key-id, by the platform's key id.")

    @OptionGroup var server: ServerOptions

    @Option(help: "The app that the device belongs to.")
    var app: AppID

    @Argument(help: ArgumentHelp("The device's id.", valueName: "dev_…"))
    var id: DeviceID?

    @Option(help: ArgumentHelp("The platform's key id.", valueName: "bytes"))
    var keyID: BytesArgument?

    @Flag(help: "Print a JSON object.")
    var json = false

    func validate() throws {
        guard (id == nil) != (keyID == nil) else { throw ValidationError("Give either a device id or --key-id.") }
    }

    func run() async throws {
        let device = try await server.with { client throws(AssayError) in
            if let id { return try await client.device(id, app: app, timeout: server.limit) }
            return try await client.device(keyID: keyID?.bytes ?? [], app: app, timeout: server.limit)
        }
        if json { Console.print(json: device.json) } else { device.lines.forEach(Console.print) }
    }
}

extension Assay_V1_Device {
    private var name: String { DeviceID(bytes: Array(deviceID))?.description ?? "" }

    fileprivate var lines: [String] {
        var lines = [
            name + (simulated ? "  [simulated]" : ""),
            "  app        \(app)",
            "  state      " + (state == .blocked ? Console.styled("blocked", .bad) + ": \(blockReason)" : "active"),
            "  format     \(format), \(environment)",
            "  key id     \(Base64.standard.encode(keyID))",
            "  counter    \(counter)",
            "  registered \(Timestamp(unixMilliseconds: registeredAtUnixMs))",
            "  last used  \(Timestamp(unixMilliseconds: lastAcceptedAtUnixMs))",
            "  anchor     \(Hex.encode(anchorSpkiSha256))",
            "  subject    " + (hasSubject_p ? "set" : "none"),
            "  receipt    " + (receiptLength == 0 ? "none" : "\(receiptLength) bytes"),
        ]
        for claim in Claims(claims).all { lines.append("  claim      \(claim.name) = \(claim.value.text)") }
        return lines
    }

    fileprivate var json: [String: Any] {
        var object: [String: Any] = [
            "device_id": name, "app": app, "format": format, "environment": environment,
            "key_id": Base64.url.encode(keyID), "public_key": Base64.url.encode(publicKey),
            "state": state == .blocked ? "blocked" : "active", "counter": counter,
            "registered_at": Timestamp(unixMilliseconds: registeredAtUnixMs).description,
            "last_accepted_at": Timestamp(unixMilliseconds: lastAcceptedAtUnixMs).description,
            "anchor_spki_sha256": Hex.encode(anchorSpkiSha256), "claims": Claims(claims).json,
            "chain_serials": chainSerials.map { Hex.encode($0) }, "receipt_length": receiptLength, "simulated": simulated,
            "has_subject": hasSubject_p,
        ]
        if state == .blocked {
            object["block_reason"] = blockReason
            object["blocked_at"] = Timestamp(unixMilliseconds: blockedAtUnixMs).description
        }
        return object
    }
}
