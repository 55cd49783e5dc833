import ArgumentParser

struct DeviceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "device", abstract: "Manage the device records.",
        discussion: """
            A record is one attested key of one app. It is named by its id (dev_…), which each verdict contains, or by the \
            platform's key id. The caller needs the role 'devices'.
            """,
        subcommands: [
            DeviceGetCommand.self, DeviceListCommand.self, DeviceBlockCommand.self, DeviceUnblockCommand.self,
            DeviceBlocksCommand.self, DeviceForgetCommand.self, DeviceImportCommand.self,
        ],
        defaultSubcommand: DeviceGetCommand.self)
}
