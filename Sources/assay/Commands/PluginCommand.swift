import ArgumentParser

struct PluginCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plugin", abstract: "Pin the files of plugins.", subcommands: [PluginPinCommand.self])
}
