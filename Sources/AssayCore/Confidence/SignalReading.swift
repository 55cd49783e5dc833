/// One signal as it counts for a level, and who measured it.
public struct SignalReading: Hashable, Sendable {
    public enum Source: String, CaseIterable, Hashable, Sendable {
        /// The app's word, under the device's signature.
        case device
        /// Measured by the server on what the device signed.
        case server
    }

    public let name: String
    public var value: Signal.Value
    public var source: Source

    public init(name: String, value: Signal.Value, source: Source) {
        (self.name, self.value, self.source) = (name, value, source)
    }

    /// The score that it counts for in profiles with a score: a pass is 1, a failure 0; `nil` if it is unavailable.
    var score: Score? {
        switch value {
        case .score(let score): score
        case .outcome(.pass): .one
        case .outcome(.fail): .zero
        case .outcome(.unavailable): nil
        }
    }

    /// The outcome that it counts for in the profile `mvp`, and as a statement about the scene.
    ///
    /// - Parameter least: the lowest score that passes.
    func outcome(passingFrom least: Score) -> Signal.Outcome {
        switch value {
        case .score(let score): score < least ? .fail : .pass
        case .outcome(let outcome): outcome
        }
    }

    /// Documents of version 1 know no source: their readings show one only where it is not the device.
    func shownSource(_ showsDevice: Bool) -> Source? { source == .server || showsDevice ? source : nil }
}

/// The signals of one capture as they count: those of the document first, then in their place what was judged of them and what the server
/// measured itself. Every profile reads signals here, and nowhere else.
struct SignalReadings: Hashable, Sendable {
    private var readings: [SignalReading]

    /// - Parameter document: `nil` if no document counts.
    init(_ document: SignalDocument?) {
        readings = (document?.signals ?? []).map { SignalReading(name: $0.name, value: $0.value, source: .device) }
    }

    subscript(name: String) -> SignalReading? { readings.first { $0.name.hasBytes(of: name) } }

    /// Puts a value in the place of the signal's, or adds it.
    mutating func replace(_ name: String, by value: Signal.Value, _ source: SignalReading.Source) {
        let reading = SignalReading(name: name, value: value, source: source)
        guard let index = readings.firstIndex(where: { $0.name.hasBytes(of: name) }) else { return readings.append(reading) }
        readings[index] = reading
    }

    /// Puts the outcomes that the server measured in the place of the app's words.
    mutating func replace(byMeasured measured: [String: Signal.Outcome]) {
        for (name, outcome) in measured.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
            replace(name, by: .outcome(outcome), .server)
        }
    }
}
