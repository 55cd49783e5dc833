import ArgumentParser
import AssayAPI
import AssayClient
import AssayCore

struct WebhooksCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "webhooks", abstract: "Show whether webhooks take events, and send again what they did not.",
        subcommands: [WebhooksListCommand.self, WebhooksResendCommand.self])
}

struct WebhooksListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the webhooks of the configuration.",
        discussion: """
            Shows name, host, state, what was delivered since the start, what waits, and the requests in the dead-letter file. The caller needs \
            the role 'operate' for all apps.
            """)

    @OptionGroup var server: ServerOptions

    @Flag(help: "Print one JSON object a line.")
    var json = false

    func run() async throws {
        let webhooks = try await server.with { client throws(AssayError) in try await client.webhooks(timeout: server.limit) }
        for webhook in webhooks {
            if json { Console.print(json: webhook.json, pretty: false) } else { webhook.lines.forEach(Console.print) }
        }
        if webhooks.isEmpty { Console.sayEmpty("the configuration has no webhooks") }
    }
}

struct WebhooksResendCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resend", abstract: "Send the dead letters of a webhook again.",
        discussion: """
            The daemon sends them in the background, the oldest first, and stops at the first that is not taken; 'assay webhooks list' shows how \
            many are left. Receivers tell what they have by the header webhook-id. The audit log gets a record. The caller needs the role \
            'operate' for all apps.

            Exit status 1 if there is no such webhook.
            """)

    @OptionGroup var server: ServerOptions

    @Argument(help: ArgumentHelp("The webhook's name in the configuration.", valueName: "name"))
    var name: String

    @Flag(help: "Print a JSON object.")
    var json = false

    func run() async throws {
        let count = try await server.with { client throws(AssayError) in
            try await client.resendDeadLetters(of: name, timeout: server.limit)
        }
        if json {
            Console.print(json: ["webhook": name, "dead_letters": count], pretty: false)
        } else {
            Console.print("\(count) dead letter\(count == 1 ? " is" : "s are") sent again")
        }
    }
}

extension Assay_V1_Webhook {
    private var word: String {
        switch state {
        case .delivering: "delivering"
        case .failing: "failing"
        case .gone: "gone"
        case .unspecified, .UNRECOGNIZED: "unknown"
        }
    }

    fileprivate var lines: [String] {
        let style: Console.Style = state == .delivering ? .good : .bad
        var lines = [
            "\(name)  \(host)  " + Console.styled(word, style)
                + "  \(delivered) delivered, \(deliveredEvents) events; \(failedAttempts) attempts failed; \(waiting) waiting; \(deadLetters) dead letters"
                + (droppedEvents > 0 ? "; \(droppedEvents) events dropped" : "")
        ]
        if failingSinceUnixMs != 0 { lines.append("  since \(Timestamp(unixMilliseconds: failingSinceUnixMs)): \(problem)") }
        if failingSinceUnixMs == 0, !problem.isEmpty { lines.append("  \(problem)") }
        return lines
    }

    fileprivate var json: [String: Any] {
        [
            "name": name, "host": host, "state": word, "delivered": delivered, "delivered_events": deliveredEvents,
            "failed_attempts": failedAttempts, "waiting": waiting, "dead_letters": deadLetters,
            "dropped_events": droppedEvents, "failing_since_unix_ms": failingSinceUnixMs, "problem": problem,
        ]
    }
}
