import ArgumentParser
import AssayAPI
import AssayClient
import AssayConfiguration
import AssayCore
import AssaySchemes

struct PolicyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "policy", abstract: "See what judges an app and what judged it before, and test it.",
        discussion: """
            Every verdict names the policy that judged it by a digest. The ledger keeps the text of each policy that ever judged: a line for \
            each setting that bears on a verdict.
            """,
        subcommands: [
            PolicyListCommand.self, PolicyShowCommand.self, PolicyDiffCommand.self, PolicyTestCommand.self,
            PolicyReplayCommand.self, PolicyShadowCommand.self, PolicyRecordingsCommand.self,
        ])
}

struct PolicyListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the policies that judged, the newest first.",
        discussion: """
            Shows when each was first in force, its digest, its app, and whether it is in force now. The caller needs the role 'operate'.
            """)

    @OptionGroup var server: ServerOptions

    @Option(help: "Only policies of this app.")
    var app: AppID?

    @Option(help: ArgumentHelp("Stop after this many policies.", valueName: "count"))
    var limit: Int = 100

    @Flag(help: "Print one JSON object a line.")
    var json = false

    func validate() throws {
        guard limit >= 1 else { throw ValidationError("--limit must be at least 1.") }
    }

    func run() async throws {
        let shown = try await server.with { client throws(AssayError) in
            let shown = try await PageReader.show(limit) { token throws(AssayError) in
                let page = try await client.policies(
                    of: app, pageSize: UInt32(min(limit, 100)), pageToken: token, timeout: server.limit)
                return (page.policies, page.nextPageToken)
            } each: { policy in
                if json { Console.print(json: policy.json, pretty: false) } else { Console.print(policy.row) }
            }
            if shown == 0 { try await client.requireApp(app, timeout: server.limit) }
            return shown
        }
        if shown == 0 { Console.sayEmpty("no policy\(app.map { " of the app \($0)" } ?? "") has judged yet") }
    }
}

struct PolicyShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show the policy that a verdict names.",
        discussion: """
            Prints a line for each setting that bears on a verdict, under its key below 'apps.<app>'. The first 8 digits of the digest are \
            enough if no other policy begins with them. The caller needs the role 'operate'.

            Exit status 1 if no such policy is on record.
            """)

    @OptionGroup var server: ServerOptions

    @Argument(help: ArgumentHelp("The policy's digest, in hexadecimal, or its first digits, at least 8.", valueName: "digest"))
    var digest: PolicyDigestArgument

    @Flag(help: "Print a JSON object.")
    var json = false

    func run() async throws {
        let policy = try await server.with { client throws(AssayError) in try await client.policy(digest, server.limit) }
        if json {
            Console.print(json: policy.wholeJSON)
        } else {
            for line in policy.heading { Console.print(line) }
            Console.write(Array(policy.text.utf8))
        }
    }
}

struct PolicyDiffCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "diff", abstract: "Show what two policies state differently, or what a configuration would change.",
        discussion: """
            Prints each setting that differs: '-' before what the first policy states, '+' before what the second one states. With \
            --candidate the second one is that of each app in a configuration file, and the first one that which is in force: what a \
            reload of the file would change in verdicts. Files that the configuration names are read here. The caller needs the role \
            'operate'.

            Exit status 0 if they state the same, 1 if they differ or one is not on record, 2 if the candidate cannot be read.

            Example:
              assay policy diff 41d0aa17 8f3c09b2
              assay policy diff --candidate assayd.yaml.new
            """)

    /// The candidate cannot be read.
    private static let unreadable: Int32 = 2

    @OptionGroup var server: ServerOptions

    @Argument(help: ArgumentHelp("The digest of the first policy, or its first digits, at least 8.", valueName: "digest"))
    var old: PolicyDigestArgument?

    @Argument(help: ArgumentHelp("The digest of the second policy, or its first digits, at least 8.", valueName: "digest"))
    var new: PolicyDigestArgument?

    @Option(help: ArgumentHelp("The configuration file whose policies are compared with those in force.", valueName: "file"))
    var candidate: String?

    @Option(help: "With --candidate: only this app.")
    var app: AppID?

    @Flag(help: "Print a JSON object; with --candidate, one an app that differs, each on a line.")
    var json = false

    func validate() throws {
        guard candidate == nil else {
            guard old == nil, new == nil else {
                throw ValidationError("--candidate is compared with what is in force: give no digest.")
            }
            return
        }
        guard app == nil else { throw ValidationError("--app goes with --candidate.") }
        guard old != nil, new != nil else { throw ValidationError("Give two digests, or --candidate.") }
    }

    func run() async throws {
        if let candidate { return try await compare(with: candidate) }
        guard let first = self.old, let second = self.new else { return }
        let (old, new) = try await server.with { client throws(AssayError) in
            (try await client.policy(first, server.limit), try await client.policy(second, server.limit))
        }
        let difference = PolicyDifference(old.text, new.text)
        if json {
            Console.print(json: [
                "old": old.json, "new": new.json,
                "differences": difference.lines.map {
                    ["key": $0.key, "removed": $0.removed, "added": $0.added] as [String: Any]
                },
            ])
        } else {
            for line in difference.shown { Console.print(line) }
        }
        guard difference.lines.isEmpty else { throw ExitCode(1) }
        Console.sayEmpty("the policies state the same")
    }

    // MARK: A candidate

    private func compare(with file: String) async throws {
        let live: LiveConfiguration
        do throws(ConfigurationError) {
            live = try Configuration.load(file).live
        } catch {
            throw Console.failure("unreadable_input", "\(error)", status: Self.unreadable)
        }
        var candidates: [String: AppPolicy] = [:]
        for each in live.apps where app == nil || each.id == app { candidates[each.id.text] = live.policy(of: each) }
        if let app, candidates.isEmpty {
            throw Console.failure("unreadable_input", "\(file) has no app \(app)", status: Self.unreadable)
        }
        let inForce = try await server.with { client throws(AssayError) in
            try await client.policiesInForce(of: app, server.limit)
        }
        var isDifferent = false
        for app in Set(candidates.keys).union(inForce.keys).sorted() {
            let (old, new) = (inForce[app], candidates[app])
            let difference = PolicyDifference(old?.text ?? "", new?.text ?? "")
            guard old == nil || new == nil || !difference.lines.isEmpty else { continue }
            isDifferent = true
            show(difference, of: app, from: old, to: new)
        }
        if isDifferent { throw ExitCode(1) }
        if !json { Console.print("no verdict would change: the policies of \(file) are those in force") }
    }

    private func show(_ difference: PolicyDifference, of app: String, from old: Assay_V1_Policy?, to new: AppPolicy?) {
        if json {
            var object: [String: Any] = [
                "app": app,
                "differences": difference.lines.map {
                    ["key": $0.key, "removed": $0.removed, "added": $0.added] as [String: Any]
                },
            ]
            if let old { object.add(hex: "old_digest", old.digest) }
            if let new { object.add(hex: "new_digest", new.digest) }
            return Console.print(json: object, pretty: false)
        }
        switch (old, new) {
        case (_?, nil): Console.print("\(app): would be gone")
        case (nil, _): Console.print("\(app): would be new")
        case (let old?, let new?):
            Console.print(
                "\(app): \(Hex.encode(old.digest.prefix(4))) in force, \(Hex.encode(new.digest.prefix(4))) in the candidate")
            for line in difference.shown { Console.print("  " + line) }
        }
    }
}

extension AssayClient {
    /// What judges now, by app.
    fileprivate func policiesInForce(
        of app: AppID?, _ timeout: Duration
    ) async throws(AssayError) -> [String: Assay_V1_Policy] {
        var (found, token): ([String: Assay_V1_Policy], [UInt8]) = ([:], [])
        repeat {
            let page = try await policies(of: app, pageSize: 100, pageToken: token, timeout: timeout)
            for listed in page.policies where listed.inForce {
                found[listed.app] = try await policy(digest: Array(listed.digest), timeout: timeout)
            }
            token = Array(page.nextPageToken)
        } while !token.isEmpty
        return found
    }

    /// The policy whose digest begins with all digits.
    fileprivate func policy(
        _ digest: PolicyDigestArgument, _ timeout: Duration
    ) async throws(AssayError) -> Assay_V1_Policy {
        let policy = try await policy(digest: digest.bytes, timeout: timeout)
        guard digest.begins(policy.digest) else {
            throw AssayError(.notFound, "no policy with this digest is on record", reason: "unknown_policy")
        }
        return policy
    }
}

/// A policy's digest in hexadecimal, or the beginning of one: 8 to 64 digits.
struct PolicyDigestArgument: ExpressibleByArgument {
    private let text: String
    /// The whole bytes among the digits.
    let bytes: [UInt8]

    init?(argument: String) {
        let digits = argument.lowercased()
        guard (8...64).contains(digits.utf8.count), let bytes = Hex.decode(String(digits.prefix(digits.utf8.count & ~1))),
            Hex.decode(digits + (digits.utf8.count.isMultiple(of: 2) ? "" : "0")) != nil
        else { return nil }
        (text, self.bytes) = (digits, bytes)
    }

    /// Whether a digest begins with all digits: one may be half of a byte.
    func begins(_ digest: some Collection<UInt8>) -> Bool { Hex.encode(digest).utf8.starts(with: text.utf8) }
}
