import Synchronization

/// What a plugin measures, by the names that it gives. The names are bounded for as long as the daemon runs the entry, whatever its processes do:
/// each is a series of the daemon's metrics.
package final class PluginMeasures: Sendable {
    /// The most names of a plugin.
    package static let nameLimit = 32
    /// The daemon's own counts, beside the plugin's names.
    private static let (droppedLines, flagsSet) = ("log_lines_dropped", "flags_set")
    private static let own: Set = [droppedLines, flagsSet]

    private let state = Mutex<[String: Double]>([:])

    package init() {}

    package var values: [String: Double] { state.withLock { $0 } }

    /// Adds to a counter. False if the plugin has as many names as it may.
    package func count(_ name: String, _ increment: UInt64) -> Bool { change(name) { $0 + Double(increment) } }

    /// Sets a gauge. False if the plugin has as many names as it may.
    package func set(_ name: String, _ value: Double) -> Bool { change(name) { _ in value } }

    /// Counts a line of the plugin that was not logged.
    package func countDroppedLine() { state.withLock { $0[Self.droppedLines, default: 0] += 1 } }

    /// Counts a flag of the plugin that stands on a device on which it did not stand.
    package func countFlag() { state.withLock { $0[Self.flagsSet, default: 0] += 1 } }

    private func change(_ name: String, _ next: (Double) -> Double) -> Bool {
        state.withLock { values in
            let isKnown = values[name] != nil || Self.own.contains(name)
            guard isKnown || values.count(where: { !Self.own.contains($0.key) }) < Self.nameLimit else { return false }
            values[name] = next(values[name] ?? 0)
            return true
        }
    }
}
