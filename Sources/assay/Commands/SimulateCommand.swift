import ArgumentParser

struct SimulateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate", abstract: "A virtual iPhone or Android device: genuine format, test root.",
        discussion: """
            The device lives in a folder: its test authority, its key, and an iPhone's counter. A daemon accepts it only if its \
            configuration names the authority's root (trust.test_roots) and the app says accept_simulated: true; every verdict \
            says 'simulated'.
            """,
        subcommands: [
            SimulatePhoneCommand.self, SimulateAttestCommand.self, SimulateAssertCommand.self, SimulateSessionCommand.self,
            SimulateAndroidCommand.self,
        ])
}
