import ArgumentParser
import AssayAPI
import AssayClient
import AssayConfiguration
import AssayCore

struct FeedsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "feeds", abstract: "Show and load the revocation lists that verdicts depend on.",
        subcommands: [FeedsShowCommand.self, FeedsLoadCommand.self, FeedsDiffCommand.self],
        defaultSubcommand: FeedsShowCommand.self)
}

struct FeedsShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show which lists are in force, their age and their problems.",
        discussion: "Exit status 1 if there is no list of the name, 69 if a list that some app needs is missing or too old.")

    @OptionGroup var server: ServerOptions

    @Argument(help: ArgumentHelp("Show the entries of this list too.", valueName: "feed"))
    var feed: String?

    @Flag(help: "Print one JSON object a line.")
    var json = false

    func run() async throws {
        let (feeds, reading) = try await server.with { client throws(AssayError) in
            let feeds = try await client.feeds(timeout: server.limit)
            guard let feed else { return (feeds, FeedReading?.none) }
            guard feeds.contains(where: { $0.feed == feed }) else {
                throw .unknown("list", feed, among: feeds.map(\.feed), reason: "unknown_feed")
            }
            return (feeds.filter { $0.feed == feed }, try await client.feed(feed, timeout: server.limit))
        }
        if feeds.isEmpty { Console.sayEmpty("no app depends on a list") }
        let now = SystemClock().now()
        for feed in feeds {
            if json {
                Console.print(json: feed.json(at: now), pretty: false)
            } else {
                feed.lines(at: now).forEach(Console.print)
            }
        }
        for entry in reading?.entries ?? [] {
            if json { Console.print(json: entry.json, pretty: false) } else { Console.print("  \(entry.line)") }
        }
        guard feeds.allSatisfy({ !$0.wanted || $0.isUsable(at: now) }) else { throw ExitCode(69) }
    }
}

struct FeedsLoadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "load", abstract: "Put a list in force that was fetched elsewhere.",
        discussion: """
            The daemon continues to fetch the list itself, if it can. A list that is older than the one in force, or much \
            shorter, is refused unless --force is given.

            Exit status 1 if the daemon refuses the list, 65 if the file is not a list.
            """)

    @OptionGroup var server: ServerOptions

    @Argument(help: ArgumentHelp("The list's name, as `assay feeds show` prints it.", valueName: "feed"))
    var feed: String

    @Argument(help: ArgumentHelp("The list as the service answers it, or - for standard input.", valueName: "file"))
    var file: FileArgument

    @Option(help: ArgumentHelp("When it was fetched, e.g. 2026-04-21T18:13:13Z; now, if this is not given.", valueName: "time"))
    var asOf: Timestamp?

    @Flag(help: "Accept it even if it is older, empty, or much shorter than the list in force.")
    var force = false

    func run() async throws {
        let list = try file.read()
        do throws(RevocationListError) {
            _ = try RevocationList.entries(of: list)
        } catch {
            throw Console.unreadable("\(file.path): \(error)")
        }
        let report = try await server.with { client throws(AssayError) in
            try await client.loadFeed(feed, list: list, asOf: asOf, force: force, timeout: server.limit)
        }
        report.lines(at: SystemClock().now()).forEach(Console.print)
    }
}

extension Assay_V1_Feed {
    fileprivate func isUsable(at now: Timestamp) -> Bool {
        unavailable.isEmpty && !id.isEmpty && now.milliseconds(since: Timestamp(unixMilliseconds: asOfUnixMs)) <= maxAgeMs
    }

    /// The list's odd entries, as a sentence; `nil` if there are none.
    var oddEntries: String? {
        guard unreadableEntries > 0 || unknownStatusEntries > 0 else { return nil }
        let example = unreadableExample.isEmpty ? "" : ", such as \"\(unreadableExample)\""
        return "\(unreadableEntries) unreadable\(example), \(unknownStatusEntries) with an unknown status"
    }

    fileprivate func lines(at now: Timestamp) -> [String] {
        var lines = ["\(feed)" + (wanted ? "" : "  [no app uses it]")]
        lines.append("  source    \(source)")
        if id.isEmpty {
            lines.append("  version   " + Console.styled("none is known", wanted ? .bad : .faint))
        } else {
            let age =
                "\(DurationText.rounded(max(0, now.unixMilliseconds - asOfUnixMs))) old, may be \(DurationText.exact(maxAgeMs))"
            lines.append(
                "  version   \(id), \(entries) entries, as of \(Timestamp(unixMilliseconds: asOfUnixMs)): "
                    + (isUsable(at: now) ? age : Console.styled(age, wanted ? .bad : .faint)))
        }
        if let oddEntries { lines.append("  odd       " + oddEntries) }
        if wanted, !unavailable.isEmpty { lines.append("  unusable  " + Console.styled(unavailable, .bad)) }
        if !problem.isEmpty {
            lines.append(
                "  problem   " + Console.styled(problem, .bad) + " (\(Timestamp(unixMilliseconds: triedAtUnixMs)))")
        }
        return lines
    }

    func json(at now: Timestamp) -> [String: Any] {
        [
            "feed": feed, "source": source, "wanted": wanted, "id": id, "entries": entries, "usable": isUsable(at: now),
            "as_of": id.isEmpty ? "" : Timestamp(unixMilliseconds: asOfUnixMs).description, "max_age_ms": maxAgeMs,
            "problem": problem, "unavailable": unavailable, "unreadable": unreadableEntries,
            "unreadable_example": unreadableExample, "unknown_status": unknownStatusEntries,
        ]
    }
}

extension FeedReading.Entry {
    var line: String { "\(Hex.encode(serial)) \(status)" + (reason.isEmpty ? "" : " \(reason)") }
    var json: [String: Any] { ["serial": Hex.encode(serial), "status": status, "reason": reason] }
}

struct FeedsDiffCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "diff", abstract: "Compare a list in a file with the one in force, or with another file.",
        discussion: """
            Lines that begin with + are only in the file, or in the second of two; with -, only in the other.

            Exit status 1 if the lists differ.
            """)

    @OptionGroup var server: ServerOptions

    @Argument(help: ArgumentHelp("The list's name, or the older of two files.", valueName: "feed|old"))
    var old: String

    @Argument(help: ArgumentHelp("A list as the service answers it.", valueName: "new"))
    var new: FileArgument

    @Flag(help: "The first argument is a file too; no daemon is asked.")
    var offline = false

    func run() async throws {
        let after = Set(try entries(of: new))
        let before = offline ? Set(try entries(of: FileArgument(argument: old))) : Set(try await inForce())
        let lines =
            before.subtracting(after).map { (serial: $0.serial, text: "- \($0.line)") }
            + after.subtracting(before).map { (serial: $0.serial, text: "+ \($0.line)") }
        for line in lines.sorted(by: {
            ($0.serial.count, Hex.encode($0.serial), $0.text) < ($1.serial.count, Hex.encode($1.serial), $1.text)
        }) {
            Console.print(line.text)
        }
        guard lines.isEmpty else { throw ExitCode(1) }
        Console.sayEmpty("the lists are equal")
    }

    private func inForce() async throws -> [FeedReading.Entry] {
        let reading = try await server.with { client throws(AssayError) in
            try await client.feed(old, timeout: server.limit)
        }
        return reading?.entries ?? []
    }

    private func entries(of file: FileArgument?) throws -> [FeedReading.Entry] {
        guard let file else { return [] }
        let text = try file.read()
        do throws(RevocationListError) {
            return try RevocationList.entries(of: text).map { serial, entry in
                FeedReading.Entry(serial: serial, status: entry.status.text, reason: entry.reason)
            }
        } catch {
            throw Console.unreadable("\(file.path): \(error.description)")
        }
    }
}
