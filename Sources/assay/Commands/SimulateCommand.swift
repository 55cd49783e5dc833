import ArgumentParser

struct SimulateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate", abstract: "A virtual iPhone: genuine format, test root.",
        discussion: """
            The phone lives in a folder: its test authority, its key and its counter. A daemon believes it only if its
            configuration names the authority's root (trust.test_roots), and says 'simulated' in every verdict.
            """,
        subcommands: [
            SimulatePhoneCommand.self, SimulateAttestCommand.self, SimulateAssertCommand.self, SimulateSessionCommand.self,
        ])
}
