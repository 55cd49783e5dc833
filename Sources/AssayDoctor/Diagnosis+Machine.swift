import AssayAPI
import AssayCore
import AssayTop

extension InstallationFacts {
    /// How far two clocks may be apart before it is worth a word, in milliseconds: what a call takes is known, and more than that is not.
    private static let clockNotice: Int64 = 2_000
    /// How far they may be apart at all: the skew that is allowed everywhere, in milliseconds.
    private static let clockLimit: Int64 = 300_000
    /// A step of the clock is told this long, in milliseconds.
    private static let stepNotice: Int64 = 86_400_000

    var clockFindings: [DoctorFinding] {
        var findings: [DoctorFinding] = []
        let remedy = "let a service keep the time (systemd-timesyncd, chrony): timedatectl set-ntp true"
        if let distance {
            let apart = max(0, abs(distance.ahead) - distance.uncertainty)
            let words =
                "the daemon's clock is \(DurationText.rounded(abs(distance.ahead))) "
                + (distance.ahead < 0 ? "behind" : "ahead of") + " this machine's"
            if apart > Self.clockNotice {
                findings.append(
                    DoctorFinding(
                        apart > Self.clockLimit ? .problem : .warning, .clockApart, address, words,
                        do: "find out which of the two is right (timedatectl on both machines), and " + remedy))
            } else {
                findings.append(DoctorFinding(.ok, .clock, address, "the daemon's clock and this machine's agree"))
            }
        }
        switch timeKeeping {
        case .synchronised(let error):
            findings.append(
                DoctorFinding(.ok, .clock, "", "this machine's clock is synchronised, within \(DurationText.rounded(error))"))
        case .unsynchronised:
            findings.append(
                DoctorFinding(
                    .warning, .clockUnsynchronised, "", "this machine's clock is not synchronised, by what the kernel knows",
                    do: remedy))
        case nil: break
        }
        if case .answered(let status, _) = daemon, status.clock.lastStepAtUnixMs != 0,
            status.nowUnixMs - status.clock.lastStepAtUnixMs < Self.stepNotice
        {
            let step = DurationText.rounded(Int64(clamping: status.clock.lastStepMs.magnitude))
            findings.append(
                DoctorFinding(
                    .warning, .clockStepped, address,
                    "the daemon's clock was set \(status.clock.lastStepMs < 0 ? "back" : "ahead") by \(step) at "
                        + "\(Timestamp(unixMilliseconds: status.clock.lastStepAtUnixMs))",
                    do: "find out who set it; " + remedy + ", which slews and does not step"))
        }
        return findings
    }

    // MARK: The ledger's disk

    /// A write-ahead log of more bytes than this, and than the ledger itself, is not taken over.
    private static let walLimit: Int64 = 256 << 20

    var diskFindings: [DoctorFinding] {
        var findings: [DoctorFinding] = []
        var sizes = ledger.map { ($0.path, $0.size, $0.writeAheadLog) }
        if case .answered(let status, let metrics) = daemon {
            let bytes = metrics.bytesOfLedger
            if let main = bytes["main"] { sizes = (address, main, bytes["wal"] ?? 0) }
            // A disk that is low is told by the daemon.
            if status.hasDisk, !status.disk.low {
                findings.append(
                    DoctorFinding(
                        .ok, .disk, address,
                        "\(status.disk.freeBytes >> 20) MiB free of \(status.disk.capacityBytes >> 20) MiB on the ledger's disk"
                    ))
            }
        } else if let ledger, let space = ledger.space {
            let words = "\(space.free >> 20) MiB free of \(space.capacity >> 20) MiB on the ledger's disk"
            findings.append(
                ledger.rule.isLow(space)
                    ? DoctorFinding(
                        .problem, .diskLow, ledger.path, words,
                        do: "free space, or enlarge the disk: when it is full nothing is accepted")
                    : DoctorFinding(.ok, .disk, ledger.path, words))
        }
        if let (place, main, log) = sizes, log > Self.walLimit, log > main {
            findings.append(
                DoctorFinding(
                    .warning, .walLarge, place,
                    "the ledger's write-ahead log has \(log >> 20) MiB, and the ledger \(main >> 20) MiB: it is not taken over",
                    do:
                        "end what reads the ledger's file for long (sqlite3, a copy, a stopped assayd command); otherwise restart the daemon"
                ))
        }
        return findings
    }

    // MARK: Listeners

    var listenerFindings: [DoctorFinding] {
        listeners.map { listener in
            guard let problem = listener.problem else {
                return DoctorFinding(.ok, .listener, listener.address, "takes connections")
            }
            return DoctorFinding(
                .problem, .listenerUnreachable, listener.address, problem,
                do:
                    "look whether the daemon runs with this file (systemctl status assayd) and listens there (ss -ltnx); for a Unix "
                    + "socket, whether you are in its group; otherwise look at firewalls")
        }
    }
}

extension MetricsSample {
    /// The sizes of the ledger's files, by `main` and `wal`; empty with a ledger in a database.
    fileprivate var bytesOfLedger: [String: Int64] {
        series("assay_ledger_file_bytes").reduce(into: [:]) { sizes, series in
            if case .number(let bytes) = series.value, let file = series.labels["file"] {
                sizes[file] = Int64(exactly: bytes.rounded()) ?? 0
            }
        }
    }
}
