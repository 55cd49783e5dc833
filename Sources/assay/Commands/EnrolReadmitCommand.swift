import ArgumentParser
import AssayAPI
import AssayClient
import AssayCore

struct EnrolReadmitCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "readmit", abstract: "Let a serial number that was provisioned be provisioned once more.",
        discussion: """
            For a device of a fleet that is to get a new certificate: after a repair, when its certificate is revoked or expired, when \
            it was unblocked, or when it was forgotten. The next 'assay provision device' for the serial number, without a token and \
            with a new key, makes a new device with a new secret, new key tables and a new certificate. At that moment the device \
            before ends, and its certificates are revoked; until then it stays as it is. 'assay enrol remove' takes a readmission back.

            A blocked device is not readmitted: unblock it first ('assay device unblock'). A readmission that waits stays as it is: to \
            change its end or family, take it back first. One that has expired is replaced.

            On a terminal the readmission must be confirmed. Without one, and in scripts, give --yes.

            Exit status 1 if no device was provisioned under the serial number, if it is blocked, if the readmission was not confirmed, \
            or if one waits with another end or family than was asked for. If one waits as it was asked for, the exit status is 0.

            Example:
              assay enrol readmit --app cameras --serial CAM-0042 --reason "RMA 4711: new main board"
            """)

    /// The longest reason, in bytes.
    private static let reasonLimit = 256

    @OptionGroup var server: ServerOptions

    @Option(help: "The app whose configuration has the fleet.")
    var app: AppID

    @Option(help: "The serial number, as it was provisioned.")
    var serial: String

    @Option(help: "The reason, for the audit log: at most 256 bytes. It cannot be deleted there, so name no person.")
    var reason: String

    @Option(help: "Only for a device of this family.")
    var family: String = ""

    @Option(
        help: ArgumentHelp(
            "When the readmission ends: after a time such as 30d, or at one such as 2027-01-31T00:00:00Z.", valueName: "time"))
    var expires: ExpiryArgument?

    @Flag(name: .shortAndLong, help: "Do not ask for confirmation.")
    var yes = false

    @Flag(help: "Print a JSON object.")
    var json = false

    func validate() throws {
        guard (1...Self.reasonLimit).contains(reason.utf8.count) else {
            throw ValidationError("--reason must have 1 to \(Self.reasonLimit) bytes.")
        }
    }

    func run() async throws {
        if !yes { try confirm() }
        let now = SystemClock().now()
        let expiry = expires?.time(from: now)
        let answer = try await server.with { client throws(AssayError) in
            try await client.readmitDevice(
                serial: serial, app: app, family: family, expiry: expiry, reason: reason, timeout: server.limit)
        }
        let isAsAsked = !answer.wasReadmitted || isAskedFor(answer.enrolment)
        if json {
            Console.print(
                json: [
                    "enrolment": answer.enrolment.json(at: now), "was_readmitted": answer.wasReadmitted, "as_asked": isAsAsked,
                ])
        } else {
            Console.print(answer.enrolment.row(at: now))
            if answer.wasReadmitted, isAsAsked { Console.say("It was readmitted before, and the readmission stays as it is.") }
        }
        guard isAsAsked else {
            throw Console.failure(
                "readmitted_otherwise",
                "it was readmitted before with another end or family, and that readmission stays as it is: to change it, take it back "
                    + "first ('assay enrol remove')")
        }
    }

    /// Whether a readmission that waits has the end and the family of the arguments.
    private func isAskedFor(_ enrolment: Assay_V1_Enrolment) -> Bool {
        guard enrolment.deviceFamily == family else { return false }
        guard enrolment.expiresAtUnixMs != 0 else { return expires == nil }
        return expires?.matches(
            Timestamp(unixMilliseconds: enrolment.expiresAtUnixMs),
            from: Timestamp(unixMilliseconds: enrolment.createdAtUnixMs)) ?? false
    }

    /// Throws unless the operator confirms.
    private func confirm() throws {
        guard Console.canAsk else {
            throw ValidationError(
                "A provisioning ends the present device, and there is no terminal on which to ask. Give --yes to readmit without asking."
            )
        }
        Console.say(
            "The next device that is provisioned under \(serial.printable) replaces the present one, whose certificates are")
        Console.say("revoked at that moment.")
        guard Console.confirms("Readmit this serial number?") else {
            throw Console.failure("not_confirmed", "nothing was changed")
        }
    }
}
