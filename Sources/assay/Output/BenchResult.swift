import AssayClient
import AssayCore
import AssayLoad

/// What a load came to, for people and for tools.
struct BenchResult {
    let command: BenchCommand
    let report: LoadReport
    let challenges: PreparedChallenges.Counts

    private static let percentiles: [(Double, String)] = [(50, "p50"), (90, "p90"), (99, "p99"), (99.9, "p99.9")]

    var failures: [String] { command.expectations.failures(of: report) }

    private var protocolName: String {
        let address = command.server.address
        guard ["https://", "http://", "http+unix:"].contains(where: address.hasPrefix) else { return "framed" }
        return (command.form ?? .connect).rawValue
    }

    var title: String {
        "\(command.mix.text) at \(report.plan.rate.decimals(2)) calls a second for \(report.plan.duration.seconds.decimals(1)) s, "
            + "\(protocolName), \(command.connections) connections"
    }

    // MARK: For people

    var lines: [String] {
        var lines = [Console.styled(title, .bold), ""] + table + [""] + counts
        if failures.isEmpty {
            lines += ["", Console.styled("all was answered as expected", .good)]
        } else {
            lines += [""] + failures.map { Console.styled("not as expected: \($0)", .bad) }
        }
        return lines
    }

    /// Latencies, right-aligned.
    private var table: [String] {
        let heads = ["ms from the intended time", "calls/s"] + Self.percentiles.map(\.1) + ["max"]
        let rows =
            report.operations.map { operation in
                [operation.name, rate(operation.expected)] + cells(operation.latency)
            } + [["sent late by", ""] + cells(report.sendDelay)]
            + (challenges.latency.isEmpty
                ? [] : [["challenges fetched ahead", ""] + cells(challenges.latency)])
        let widths = heads.indices.map { column in ([heads] + rows).map { $0[column].count }.max() ?? 0 }
        return ([heads] + rows).map { row in
            row.enumerated().map { column, cell in
                let space = String(repeating: " ", count: widths[column] - cell.count)
                return column == 0 ? cell + space : space + cell
            }.joined(separator: "  ")
        }
    }

    private func rate(_ count: UInt64) -> String {
        report.elapsed > .zero ? (Double(count) / report.elapsed.seconds).decimals(1) : "0"
    }

    private func cells(_ latency: LatencyHistogram) -> [String] {
        guard !latency.isEmpty else { return (Self.percentiles.map(\.1) + [""]).map { _ in "-" } }
        return Self.percentiles.map { latency.value(at: $0.0).milliseconds.decimals(2) } + [
            latency.max.milliseconds.decimals(2)
        ]
    }

    private var counts: [String] {
        var lines = [
            "\(report.sent) of \(report.scheduled) calls sent, \(report.expected) answered as expected: "
                + "\(report.achievedRate.decimals(1)) a second"
        ]
        for operation in report.operations {
            let answers = operation.answers.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
            lines.append("  \(operation.name): " + (answers.map { "\($0.value) \($0.key)" }.joined(separator: ", ")))
            for (why, count) in operation.notSent.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
                lines.append("  \(operation.name): \(count) not sent: \(why.words(command))")
            }
        }
        if report.late > 0 {
            lines.append(
                "sent more than \(report.plan.lateAfter.milliseconds.decimals(0)) ms late: \(report.late) calls. This machine is "
                    + "too busy for the rate, and their latencies have the delay")
        }
        if report.warmUp.notSent > 0 || !report.warmUp.unexpected.isEmpty {
            let words = report.warmUp.unexpected.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
            lines.append(
                "of \(report.warmUp.scheduled) calls before that were not measured: "
                    + (words + (report.warmUp.notSent > 0 ? ["\(report.warmUp.notSent) not sent"] : [])).joined(separator: ", ")
            )
        }
        if !challenges.failures.isEmpty {
            let words = challenges.failures.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
            lines.append("challenges fetched ahead that failed, and were tried again: " + words.joined(separator: ", "))
        }
        return lines
    }

    // MARK: For tools

    var json: [String: Any] {
        var object: [String: Any] = [
            "server": command.server.address, "protocol": protocolName, "app": command.app.text, "mix": command.mix.text,
            "connections": command.connections, "devices": command.deviceCount, "rate": report.plan.rate,
            "arrivals": report.plan.arrivals.rawValue, "duration_seconds": report.plan.duration.seconds,
            "warm_up_seconds": report.plan.warmUp.seconds, "in_flight_limit": report.plan.inFlight,
            "elapsed_seconds": report.elapsed.seconds, "scheduled": Int(report.scheduled), "sent": Int(report.sent),
            "as_expected": Int(report.expected), "achieved_rate": report.achievedRate, "failed_share": report.failedShare,
            "late": Int(report.late), "late_after_ms": report.plan.lateAfter.milliseconds,
            "send_delay_ms": report.sendDelay.json, "interrupted": report.isInterrupted,
            "operations": report.operations.map(\.json),
            "challenges_ahead": [
                "count": Int(challenges.latency.count), "latency_ms": challenges.latency.json,
                "failures": challenges.failures.mapValues { Int($0) },
            ] as [String: Any],
            "warm_up": [
                "scheduled": Int(report.warmUp.scheduled), "sent": Int(report.warmUp.sent),
                "not_sent": Int(report.warmUp.notSent), "unexpected": report.warmUp.unexpected.mapValues { Int($0) },
            ] as [String: Any],
            "passed": failures.isEmpty, "failures": failures,
        ]
        // A number of 64 bits, which not every reader of JSON takes for one.
        if report.plan.arrivals == .poisson { object["seed"] = String(report.plan.seed) }
        return object
    }
}

extension NotSent {
    fileprivate func words(_ command: BenchCommand) -> String {
        switch self {
        case .inFlightLimit: "as many calls as may (--in-flight \(command.plan.inFlight)) waited for an answer"
        case .noDeviceReady: "no device was ready (--devices \(command.deviceCount))"
        }
    }
}

extension LoadReport.Operation {
    fileprivate var json: [String: Any] {
        [
            "name": name, "share": share, "scheduled": Int(scheduled), "sent": Int(sent), "as_expected": Int(expected),
            "answers": answers.mapValues { Int($0) },
            "not_sent": [String: Int](uniqueKeysWithValues: notSent.map { ($0.key.rawValue, Int($0.value)) }),
            "latency_ms": latency.json, "service_time_ms": serviceTime.json,
        ]
    }
}

extension LatencyHistogram {
    /// In milliseconds.
    fileprivate var json: [String: Any] {
        guard !isEmpty else { return ["count": 0] }
        return [
            "count": Int(count), "mean": mean.milliseconds, "p50": value(at: 50).milliseconds,
            "p90": value(at: 90).milliseconds,
            "p99": value(at: 99).milliseconds, "p999": value(at: 99.9).milliseconds, "max": max.milliseconds,
        ]
    }
}
