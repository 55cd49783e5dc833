import ArgumentParser

struct CACommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ca", abstract: "The CAs that issue device certificates.",
        subcommands: [CAListCommand.self])
}
