import AssayCore

/// Decides which verdicts of a flood are recorded: the first of a kind in a minute each by itself, and then one for many.
///
/// A kind is an app, a caller, a reason, and whether a rejection was enforced. A record that stands for others is that of the first of them, and is given away when their number is
/// complete, or when ``settle(at:)`` ends the run: so the sum of what records stand for is the number of verdicts.
struct FloodSampler {
    struct Kind: Hashable {
        let app: AppID
        let caller: String
        /// Empty for acceptances.
        let reason: String
        /// Whether a rejection was answered ACCEPTED.
        var isReported = false
    }

    fileprivate struct Window {
        var start: Timestamp
        /// Verdicts in the window.
        var count: Int64 = 0
        /// The first verdict of the run, with the number so far in `standsFor`.
        var run: VerdictRecord?
    }

    /// Kinds that are told apart at a time, about 200 bytes each. Verdicts of further kinds are recorded each by itself.
    static let kindLimit = 4096
    static let windowLength: Int64 = 60_000

    /// The verdicts of one kind that are recorded in a window each by itself.
    var full: Int64
    /// Of the others, how many one record stands for.
    var length: Int64
    private var windows: [Kind: Window] = [:]

    init(full: Int64, length: Int64) { (self.full, self.length) = (full, length) }

    /// Takes a verdict.
    ///
    /// - Parameters:
    ///   - record: makes its record; called only if that is needed.
    ///   - kept: gets the records that are complete.
    mutating func take(
        _ kind: Kind, at now: Timestamp, into kept: inout [VerdictRecord], _ record: () -> VerdictRecord?
    ) {
        if windows[kind] == nil, windows.count >= Self.kindLimit {
            kept += settle(at: now, keeping: true)
            guard windows.count < Self.kindLimit else { return kept.append(contentsOf: record().map { [$0] } ?? []) }
        }
        let (full, length) = (full, length)
        func count(_ window: inout Window) {
            if window.hasEnded(at: now) {
                if let run = window.run { kept.append(run) }
                window = Window(start: now)
            }
            window.count += 1
            guard window.count > full else { return kept.append(contentsOf: record().map { [$0] } ?? []) }
            if window.run == nil { window.run = record() } else { window.run?.standsFor += 1 }
            guard let run = window.run, run.standsFor >= length else { return }
            kept.append(run)
            window.run = nil
        }
        count(&windows[kind, default: Window(start: now)])
    }

    /// Ends runs and returns their records.
    ///
    /// - Parameter keeping: whether runs of windows that have not ended go on.
    mutating func settle(at now: Timestamp, keeping: Bool = false) -> [VerdictRecord] {
        var settled: [VerdictRecord] = []
        for kind in Array(windows.keys) {
            guard var window = windows[kind] else { continue }
            let hasEnded = window.hasEnded(at: now)
            if keeping, !hasEnded { continue }
            if let run = window.run { settled.append(run) }
            window.run = nil
            windows[kind] = hasEnded ? nil : window
        }
        return settled
    }
}

extension FloodSampler.Window {
    /// A window ends after a minute, and if the clock was set back.
    fileprivate func hasEnded(at now: Timestamp) -> Bool {
        now < start || now.milliseconds(since: start) >= FloodSampler.windowLength
    }
}
