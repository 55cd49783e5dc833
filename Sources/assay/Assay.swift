import ArgumentParser
import AssayCommandLine
import AssayConfiguration
import AssayCore

@main
struct Assay: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "assay",
        abstract: "Ask an Assay daemon for challenges and verdicts, and operate it.",
        discussion: """
            The daemon is found by --server, or the environment variable ASSAY_SERVER, or at the socket /run/assay/assayd.sock if \
            it exists, or at 127.0.0.1:7421. An address that begins with https:// or http:// is called over HTTP. The credentials for \
            one that listens with TLS are found by --tls-ca, --tls-cert and --tls-key, or ASSAY_TLS_CA, ASSAY_TLS_CERT and \
            ASSAY_TLS_KEY; an API key takes the place of a certificate by --key-file or ASSAY_KEY_FILE. These options may stand before \
            or after the command.

            Exit status: 0 done, or accepted; 1 rejected, or a test failed; 64 wrong usage; \
            65 unreadable input; 69 the daemon or something that it needs is unavailable; 77 not permitted; \
            78 the daemon's configuration does not allow it.
            """,
        version: Version.text,
        subcommands: [
            InitCommand.self, ChallengeCommand.self, VerifyCommand.self, PrepareCommand.self, UploadCommand.self,
            VerdictsCommand.self,
            ReportCommand.self, PolicyCommand.self, DeviceCommand.self,
            StatusCommand.self, DoctorCommand.self, TopCommand.self, BenchCommand.self, WatchCommand.self, WebhooksCommand.self,
            WhoAmICommand.self, KeyCommand.self,
            AuditCommand.self,
            FeedsCommand.self, ProvisionCommand.self, CertCommand.self, CRLCommand.self, CACommand.self, EnrolCommand.self,
            AnchorsCommand.self, PluginCommand.self, ConfidenceCommand.self, InspectCommand.self, SimulateCommand.self,
            ResultsCommand.self, ConformanceCommand.self, OpenAPICommand.self,
        ])

    /// The options that may stand before a command, and whether a value follows.
    static let movable = ServerOptions.names.merging(["--json": false]) { old, _ in old }

    static func main() async { await run(moving: movable) }
}
