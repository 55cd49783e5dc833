import ArgumentParser
import AssayAPI
import AssayClient

struct PluginCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plugin", abstract: "Write, examine, pin and operate plugins.",
        discussion: """
            A plugin is a verifier that a team adds without changing the daemon: a process of its own in a sandbox, with an entry in \
            the daemon's catalog. It is named by the id of its entry.

            new, check and pin need no daemon. The others call one: looking needs the role 'observe'; changing, and reading \
            quarantined evidence, the role 'operate'.
            """,
        subcommands: [
            PluginNewCommand.self, PluginCheckCommand.self, PluginPinCommand.self, PluginListCommand.self,
            PluginShowCommand.self, PluginEnableCommand.self, PluginDisableCommand.self, PluginReloadCommand.self,
            PluginQuarantineCommand.self,
        ])
}

struct PluginListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the plugins of the catalog.",
        discussion: "Exit status 69 if a required plugin is not ready.")

    @OptionGroup var server: ServerOptions

    @Flag(help: "Print one JSON object a line.")
    var json = false

    func run() async throws {
        let plugins = try await server.with { client throws(AssayError) in try await client.plugins(timeout: server.limit) }
        PluginText.show(plugins, json: json)
        guard plugins.allSatisfy({ !$0.required || $0.state == .ready }) else { throw ExitCode(AssayError.unavailableStatus) }
    }
}

struct PluginShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show everything about a plugin: its state, what confines it, its processes and counts.",
        discussion: "Exit status 1 if the catalog has no plugin with this id, 69 if the plugin is not ready.")

    @OptionGroup var server: ServerOptions

    @Argument(help: ArgumentHelp("The id of its entry, as `assay plugin list` prints it.", valueName: "id"))
    var id: String

    @Flag(help: "Print a JSON object.")
    var json = false

    func run() async throws {
        let plugins = try await server.with { client throws(AssayError) in try await client.plugins(timeout: server.limit) }
        guard let plugin = plugins.first(where: { $0.id == id }) else {
            let known = plugins.map(\.id).joined(separator: ", ")
            throw Console.failure(
                "unknown_plugin",
                "the catalog has no plugin \"\(id)\"" + (known.isEmpty ? ": it is empty" : "; it has \(known)"))
        }
        if json { Console.print(json: plugin.json) } else { plugin.lines.forEach(Console.print) }
        guard plugin.state == .ready else { throw ExitCode(AssayError.unavailableStatus) }
    }
}

struct PluginEnableCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "enable", abstract: "Let a disabled plugin run again, or try a failed one at once.",
        discussion: """
            Closes an open circuit breaker, and starts a plugin again that could not be started. Outlasts a restart of the daemon.

            Exit status 1 if the catalog has no plugin with this id.
            """)

    @OptionGroup var server: ServerOptions

    @Argument(help: ArgumentHelp("The id of its entry.", valueName: "id"))
    var id: String

    func run() async throws {
        let plugin = try await server.with { client throws(AssayError) in
            try await client.enablePlugin(id, timeout: server.limit)
        }
        Console.print("enabled: " + plugin.row)
    }
}

struct PluginDisableCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "disable", abstract: "End a plugin's processes until it is enabled.",
        discussion: """
            Calls in flight are answered first. Evidence of the formats that the plugin decides about is answered UNAVAILABLE. Outlasts \
            a restart of the daemon.

            Exit status 1 if the catalog has no plugin with this id.
            """)

    @OptionGroup var server: ServerOptions

    @Argument(help: ArgumentHelp("The id of its entry.", valueName: "id"))
    var id: String

    func run() async throws {
        let plugin = try await server.with { client throws(AssayError) in
            try await client.disablePlugin(id, timeout: server.limit)
        }
        Console.print("disabled: " + plugin.row)
    }
}

struct PluginReloadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reload", abstract: "Read the configuration and the catalog again.",
        discussion: """
            As SIGHUP does: all of it, or nothing. New and changed plugins are started beside the old ones, which end once the new \
            ones answer; no call is dropped. Lists the plugins as `assay plugin list` does.

            Exit status 1 if something in the configuration or the catalog is wrong: then nothing changes.
            """)

    @OptionGroup var server: ServerOptions

    @Flag(help: "Print one JSON object a line.")
    var json = false

    func run() async throws {
        let plugins = try await server.with { client throws(AssayError) in
            try await client.reloadPlugins(timeout: server.limit)
        }
        PluginText.show(plugins, json: json)
    }
}
