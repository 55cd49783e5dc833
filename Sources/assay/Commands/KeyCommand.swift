import ArgumentParser
import AssayAPI
import AssayClient
import AssayCore

struct KeyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "key", abstract: "Create, list and revoke API keys of callers without a certificate.",
        discussion: """
            Takes the role operate for all apps, and a section "callers.keys" of the daemon's configuration. A key is sent over TLS or \
            to a Unix socket only.
            """,
        subcommands: [KeyCreateCommand.self, KeyListCommand.self, KeyRevokeCommand.self])
}

struct KeyCreateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create", abstract: "Create an API key and print it: it is shown once and stored nowhere.")

    @OptionGroup var server: ServerOptions

    @Argument(help: "The key's name, [a-z0-9._-]{1,64}. The audit log calls its caller \"key:\" and this name.")
    var name: String

    @Option(help: ArgumentHelp("A role of the caller; may be repeated.", valueName: "role"))
    var role: [String] = []

    @Option(
        help: ArgumentHelp(
            "An app that it may name; may be repeated. Without it: every app that the configuration allows to keys, also those that it allows later.",
            valueName: "app"))
    var app: [AppID] = []

    @Option(
        help: ArgumentHelp(
            "How long it is good, such as 30d. Default: 90d, or as long as the configuration allows.", valueName: "duration"))
    var lifetime: DurationArgument?

    @Option(help: .hidden)
    var days: UInt32?

    @Option(help: "For the audit log.")
    var reason: String = ""

    @Flag(help: "Print a JSON object.")
    var json = false

    func validate() throws {
        guard !role.isEmpty else { throw ValidationError("Give at least one --role.") }
        for role in role where Role(rawValue: role) == nil {
            let roles = Role.allCases.map(\.rawValue)
            let meant = Spelling.nearest(to: role, among: roles).map { "Did you mean \"\($0)\"?" }
            throw ValidationError(
                "No role is called \"\(role)\". " + (meant ?? "Roles are \(roles.joined(separator: ", ")).")
            )
        }
        guard days != 0, lifetime?.milliseconds != 0 else { throw ValidationError("--lifetime must be above 0.") }
        guard days == nil || lifetime == nil else { throw ValidationError("Give --lifetime without --days.") }
    }

    func run() async throws {
        let made = try await server.with { client throws(AssayError) in
            try await client.createKey(
                name, roles: role, apps: app,
                lifetime: (lifetime ?? days.map { DurationArgument(days: Int64($0)) }).map { .milliseconds($0.milliseconds) },
                reason: reason,
                timeout: server.limit)
        }
        if json {
            var object = made.record.json
            object["key"] = made.key
            Console.print(json: object)
        } else {
            Console.note("the key is shown once: keep it in a file that only its owner can read")
            Console.print(made.key)
        }
    }
}

struct KeyListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List all API keys, without the keys themselves.")

    @OptionGroup var server: ServerOptions

    @Flag(help: "Print a JSON object.")
    var json = false

    func run() async throws {
        let keys = try await server.with { client throws(AssayError) in try await client.keys(timeout: server.limit) }
        if json { Console.print(json: ["keys": keys.map(\.json)]) } else { keys.map(\.line).forEach(Console.print) }
        if keys.isEmpty { Console.sayEmpty("there are no API keys") }
    }
}

struct KeyRevokeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke", abstract: "Revoke an API key at once and for good.",
        discussion: "Exit status 1 if no key has the name.")

    @OptionGroup var server: ServerOptions

    @Argument(help: "The key's name.")
    var name: String

    @Option(help: "For the audit log.")
    var reason: String = ""

    @Flag(help: "Print a JSON object.")
    var json = false

    func run() async throws {
        let key = try await server.with { client throws(AssayError) in
            try await client.revokeKey(name, reason: reason, timeout: server.limit)
        }
        if json { Console.print(json: key.json) } else { Console.print(key.line) }
    }
}

extension Assay_V1_CallerKey {
    fileprivate var state: String { revokedAtUnixMs != 0 ? "revoked" : usable ? "good" : "not usable" }

    fileprivate var line: String {
        let apps = allApps ? "all apps" : apps.joined(separator: ", ")
        return
            "\(name)  \(state)  \(roles.joined(separator: ", ")) of \(apps), until \(Timestamp(unixMilliseconds: expiresAtUnixMs)), "
            + "created by \(createdBy)"
    }

    fileprivate var json: [String: Any] {
        [
            "name": name, "state": state, "roles": roles, "apps": apps, "all_apps": allApps, "created_by": createdBy,
            "created_at": Timestamp(unixMilliseconds: createdAtUnixMs).description,
            "expires_at": Timestamp(unixMilliseconds: expiresAtUnixMs).description,
            "revoked_at": revokedAtUnixMs == 0 ? "" : Timestamp(unixMilliseconds: revokedAtUnixMs).description,
        ]
    }
}
