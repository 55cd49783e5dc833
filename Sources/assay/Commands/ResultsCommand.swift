import ArgumentParser
import AssayAPI
import AssayClient
import AssayCore

struct ResultsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "results", abstract: "Check signed results, and operate the keys that sign them.",
        discussion:
            "A result is a verdict that is signed for others than the caller that asked: 'assay verify --result' asks for one.",
        subcommands: [
            ResultsVerifyCommand.self, ResultsNewKeyCommand.self, ResultsKeysCommand.self, ResultsRotateCommand.self,
        ])
}

struct ResultsKeysCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keys", abstract: "List the keys that sign results, signed them, or sign next.",
        discussion: """
            Takes the role observe; --jwks takes none. Exit status 69 if no key of an issuer signs now, or the daemon does not have the one \
            that does.
            """)

    @OptionGroup var server: ServerOptions

    @Flag(help: "Print the published JWK Set in place of the list.")
    var jwks = false

    @Flag(help: "With --jwks: the set of the issuer of results about simulated devices.")
    var simulated = false

    @Flag(help: "Print a JSON object.")
    var json = false

    func validate() throws {
        guard jwks || !simulated else { throw ValidationError("Give --simulated with --jwks: the list has all keys.") }
    }

    func run() async throws {
        guard !jwks else {
            let published = try await server.with { client throws(AssayError) in
                try await client.publishedResultKeys(simulated: simulated, timeout: server.limit)
            }
            return Console.print(published.jwks)
        }
        let keys = try await server.with { client throws(AssayError) in try await client.resultKeys(timeout: server.limit) }
        if json { Console.print(json: ["keys": keys.map(\.json)]) } else { keys.map(\.line).forEach(Console.print) }
        if keys.isEmpty { Console.sayEmpty("no key of results is published") }
        let signing = Set(keys.filter { $0.state == .signing && $0.held }.map(\.issuer))
        guard keys.allSatisfy({ signing.contains($0.issuer) }) else { throw ExitCode(AssayError.unavailableStatus) }
    }
}

struct ResultsRotateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rotate", abstract: "Let the next key sign results, in place of the one that signs.",
        discussion: """
            Takes the role operate for all apps. The next key is the newest in the daemon's configuration that does not sign yet. It signs \
            once it was published for as long as those who check results may keep the published keys (results.publish_ahead); the \
            key before it stays published while what it signed is good.
            """)

    @OptionGroup var server: ServerOptions

    @Flag(
        help: """
            At once, where the key that signs is compromised. What the new key signs is refused where an older set of keys is kept, until \
            that is read again.
            """)
    var now = false

    @Flag(help: "A key of the issuer of results about simulated devices.")
    var simulated = false

    @Option(help: "For the audit log.")
    var reason: String = ""

    @Flag(help: "Print a JSON object.")
    var json = false

    func run() async throws {
        let key = try await server.with { client throws(AssayError) in
            try await client.rotateResultKey(now: now, simulated: simulated, reason: reason, timeout: server.limit)
        }
        if json { Console.print(json: key.json) } else { Console.print(key.line) }
    }
}

extension Assay_V1_ResultKey {
    private var stateName: String {
        switch state {
        case .next: "next"
        case .signing: "signing"
        case .last: "last"
        case .retired: "retired"
        case .unspecified, .UNRECOGNIZED: "unknown"
        }
    }

    fileprivate var line: String {
        var parts = [
            "\(kid)  \(stateName)  \(algorithm)  \(issuer)", "published \(Timestamp(unixMilliseconds: publishedAtUnixMs))",
        ]
        if signsFromUnixMs != 0 { parts.append("signs from \(Timestamp(unixMilliseconds: signsFromUnixMs))") }
        if signsUntilUnixMs != 0 { parts.append("until \(Timestamp(unixMilliseconds: signsUntilUnixMs))") }
        if publishedUntilUnixMs != 0 { parts.append("published until \(Timestamp(unixMilliseconds: publishedUntilUnixMs))") }
        if !held { parts.append("not held by this daemon") }
        return parts.joined(separator: ", ")
    }

    fileprivate var json: [String: Any] {
        var object: [String: Any] = [
            "kid": kid, "issuer": issuer, "simulated": simulated, "algorithm": algorithm, "state": stateName, "held": held,
            "published_at": Timestamp(unixMilliseconds: publishedAtUnixMs).description,
        ]
        let times = [
            ("signs_from", signsFromUnixMs), ("signs_until", signsUntilUnixMs), ("published_until", publishedUntilUnixMs),
        ]
        for (name, time) in times where time != 0 { object[name] = Timestamp(unixMilliseconds: time).description }
        return object
    }
}
