import ArgumentParser
import AssayCore
import AssayInstallation
import AssayProvisioning
import AssaySigning
import Foundation

struct InitCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init", abstract: "Write configurations, keys and a test installation, by a few questions.",
        discussion: """
            Writes two configurations: FOLDER/production for real devices, and FOLDER/test, which trusts virtual devices beside them. \
            Each has a folder, sockets and keys of its own. Both are checked as 'assayd check-config --strict' does, and the next three \
            commands are printed.

            What no option says is asked on the terminal; with --yes, --json or without a terminal it has its default. No file is \
            replaced, unless --force says so; CAs and virtual devices are kept even then.

              assay init --for upload --team TEAMID1234 --bundle com.example.photos \\
                  --apk app-release.apk

            The signer of an Android app is read from an APK, a JKS keystore or a certificate; --signer also takes the SHA-256 itself.

            Exit status: 0 written, and both configurations can be used here; 1 one of them cannot; 64 wrong usage; 65 a file exists, or \
            cannot be read or written.
            """)

    @Argument(help: ArgumentHelp("The folder to make.", valueName: "folder"))
    var folder = "assay"

    @Option(
        name: .customLong("for"),
        help: ArgumentHelp(
            "Who you are: a service that takes uploads, the provisioning of a fleet, a security team, or one who tries it out. Default: upload.",
            valueName: "user"))
    var user: InstallationPlan.User?

    @Option(help: "The app's name in the configuration. Default: photos, or cameras for a fleet.")
    var app: AppID?

    @OptionGroup(title: "The app") var identity: InitAppOptions
    @OptionGroup(title: "The daemon") var daemon: InitDaemonOptions

    @Flag(help: "Ask nothing: what no option says has its default.")
    var yes = false

    @Flag(help: "Write configurations and the daemon's certificate again where they exist.")
    var force = false

    @Flag(help: "Print a JSON object, and ask nothing.")
    var json = false

    func run() async throws {
        let questions = InitQuestions(isAsking: !yes && !json && Console.canAsk)
        var answers = InitAnswers(questions: questions, command: self)
        let plan = try answers.plan()
        let installation = InstallationFolder(folder, plan, names: answers.names, replaces: force)
        let written: [WrittenConfiguration]
        do throws(CredentialFileError) {
            try installation.requireAbsent()
            written = try await installation.write(at: SystemClock().now())
        } catch {
            throw Console.unreadable(error.description)
        }
        let report = InitReport(
            installation: installation, checks: written.map { InitCheck(of: $0) }, notes: answers.notes + installation.notes)
        if json { Console.print(json: report.json) } else { report.lines.forEach(Console.print) }
        if report.checks.contains(where: { !$0.isUsable }) { throw ExitCode(1) }
    }
}

struct InitAppOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The team of an iOS app, ten letters and digits.", valueName: "team"))
    var team: String?

    @Option(help: ArgumentHelp("The bundle identifier of an iOS app.", valueName: "identifier"))
    var bundle: String?

    @Option(help: ArgumentHelp("An Android app's APK, which tells its package and its signer.", valueName: "file"))
    var apk: String?

    @Option(help: ArgumentHelp("The package of an Android app.", valueName: "name"))
    var package: String?

    @Option(
        help: ArgumentHelp(
            "Who signs it: an APK, a JKS keystore, a certificate in PEM or DER, or the certificate's SHA-256. May be repeated.",
            valueName: "signer"))
    var signer: [String] = []

    @Option(help: ArgumentHelp("The key in the keystore, if it has several.", valueName: "name"))
    var alias: String?

    @Option(help: ArgumentHelp("The manufacturer of a fleet.", valueName: "name"))
    var manufacturer: String?
}

struct InitDaemonOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "How callers reach it: by HTTP with TLS on this machine or over the network, or by a Unix socket. Default: loopback.",
            valueName: "way"))
    var reach: InstallationPlan.Reach?

    @Option(
        help: ArgumentHelp(
            "A DNS name or an address under which callers reach it, for its certificate. May be repeated. Default: this machine's name.",
            valueName: "name"))
    var host: [String] = []

    @Option(help: ArgumentHelp("Where it listens with TLS. Default: 8443.", valueName: "number"))
    var port: UInt16 = 8443

    @Option(help: ArgumentHelp("Where the test daemon does. Default: 9443.", valueName: "number"))
    var testPort: UInt16 = 9443

    @Option(
        help: ArgumentHelp(
            "Its certificate, if there is one: PEM. Default: one is made, under a CA of its own.", valueName: "file"))
    var certificate: String?

    @Option(help: ArgumentHelp("The certificate's key, PEM.", valueName: "file"))
    var privateKey: String?

    @Option(
        help: ArgumentHelp(
            "Where the ledger is: a file, or postgresql://user:password@host/database. Default: ledger.db in the folder.",
            valueName: "place"))
    var store: String?

    @Option(help: ArgumentHelp("The CA of the database's certificate, PEM.", valueName: "file"))
    var databaseCa: String?

    func validate() throws {
        guard (certificate == nil) == (privateKey == nil) else {
            throw ValidationError("--certificate and --private-key belong together.")
        }
        guard port != 0, testPort != 0 else { throw ValidationError("--port and --test-port are from 1 to 65535.") }
    }
}

extension InstallationPlan.User: ExpressibleByArgument {}
extension InstallationPlan.Reach: ExpressibleByArgument {}
