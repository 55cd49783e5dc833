import ArgumentParser

struct ReportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "report", abstract: "Summarise what the daemon has on record.",
        subcommands: [EnforcementReportCommand.self])
}
