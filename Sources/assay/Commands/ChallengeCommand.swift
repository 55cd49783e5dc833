import ArgumentParser
import AssayClient
import AssayCore

struct ChallengeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "challenge", abstract: "Ask for a challenge and print it as base64url.")

    @OptionGroup var server: ServerOptions

    @Option(help: "The app, as the daemon's configuration names it.")
    var app: AppID

    @Option(help: "The purpose of the challenge.")
    var purpose: Purpose

    @Option(help: "Text that binds the challenge to a session; repeat it with 'verify'.")
    var context: String = ""

    @Option(
        help: ArgumentHelp(
            "Its lifetime, such as 5m, at most 1h; a number alone is seconds. Default: the app's, challenge.ttl.",
            valueName: "duration"))
    var ttl: SecondsArgument?

    @Option(help: ArgumentHelp("The IP address of your own client, by which requests are counted.", valueName: "address"))
    var sourceAddress: SourceAddress?

    @Flag(help: "Print a JSON object.")
    var json = false

    func validate() throws {
        guard ttl?.milliseconds != 0 else { throw ValidationError("--ttl must be above 0.") }
    }

    func run() async throws {
        let challenge = try await server.with { client throws(AssayError) in
            try await client.issueChallenge(
                app: app, purpose: purpose, context: Array(context.utf8), timeToLive: ttl?.duration,
                sourceAddress: sourceAddress, timeout: server.limit)
        }
        let text = Base64.url.encode(challenge.bytes)
        if json {
            Console.print(json: [
                "challenge": text, "expires_at": challenge.expiry.description, "purpose": purpose.name, "app": app.text,
            ])
        } else {
            Console.print(text)
        }
    }
}
