import ArgumentParser
import AssayAPI
import AssayClient
import AssayCore

struct WhoAmICommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "whoami", abstract: "Show how the daemon knows you, what you may do, and what is left of your rates.",
        discussion: "Every caller with a role may ask. A caller that the daemon does not know gets exit status 77.")

    @OptionGroup var server: ServerOptions

    @Flag(help: "Print a JSON object.")
    var json = false

    func run() async throws {
        let answer = try await server.with { client throws(AssayError) in try await client.whoAmI(timeout: server.limit) }
        if json { Console.print(json: answer.json) } else { answer.lines.forEach(Console.print) }
    }
}

extension Assay_V1_WhoAmIResponse {
    fileprivate var lines: [String] {
        let all = allApps ? "all apps" + (apps.isEmpty ? "" : ": ") : ""
        return [
            name, "  known by  \(recognisedBy)" + (mark.isEmpty ? "" : " \(mark)"),
            "  roles     \(roles.joined(separator: ", "))", "  apps      \(all)\(apps.joined(separator: ", "))",
        ] + rates.map { "  rate      " + $0.line }
    }

    fileprivate var json: [String: Any] {
        [
            "name": name, "recognised_by": recognisedBy, "mark": mark, "roles": roles, "all_apps": allApps, "apps": apps,
            "rates": rates.map {
                [
                    "limit": $0.limit, "app": $0.app, "use": $0.use, "rate": $0.rate, "burst": $0.burst, "left": $0.left,
                    "retry_after_ms": $0.retryAfterMs,
                ] as [String: Any]
            },
        ]
    }
}

extension Assay_V1_WhoAmIResponse.Rate {
    fileprivate var line: String {
        let next =
            retryAfterMs == 0 ? "" : ", the next in \(DurationText.exact((Int64(clamping: retryAfterMs) + 999) / 1000 * 1000))"
        return "\(left) of \(burst) \(use) left\(next) (\(limit)" + (app.isEmpty ? "" : " of \(app)") + ": \(rate))"
    }
}
