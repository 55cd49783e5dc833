import ArgumentParser
import AssayCore
import AssayLoad

/// The operations of a load and their weights: `assertion=8,bundle=1`. A name alone has the weight 1.
struct MixArgument: ExpressibleByArgument {
    /// In the order of the text, each kind once.
    let parts: [(kind: LoadKind, weight: Int)]

    init?(argument: String) {
        var parts: [(LoadKind, Int)] = []
        for part in argument.split(separator: ",", omittingEmptySubsequences: false) {
            let words = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let kind = LoadKind(rawValue: String(words[0])), !parts.contains(where: { $0.0 == kind }) else { return nil }
            guard let weight = words.count == 1 ? 1 : Int(words[1]), (1...1000).contains(weight) else { return nil }
            parts.append((kind, weight))
        }
        self.parts = parts
    }

    init(_ kind: LoadKind) { parts = [(kind, 1)] }

    var kinds: [LoadKind] { parts.map(\.kind) }
    var text: String { parts.map { "\($0.kind.rawValue)=\($0.weight)" }.joined(separator: ",") }
    var defaultValueDescription: String { text }
}

/// A latency with decimals and a unit: `8ms`, `2.5ms`, `800us` or `1s`.
struct LatencyArgument: ExpressibleByArgument {
    let duration: Duration

    init?(argument: String) {
        let digits = argument.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
        let factor: Double? =
            switch argument.dropFirst(digits.count) {
            case "us", "µs": 1
            case "ms": 1000
            case "s": 1_000_000
            default: nil
            }
        guard let factor, let number = Double(digits), number > 0, number * factor <= 3_600_000_000 else { return nil }
        duration = .microseconds(number * factor)
    }
}

/// A share such as `0.1%`; a number alone is a percentage too.
struct ShareArgument: ExpressibleByArgument {
    /// From 0 to 1.
    let share: Double

    init?(argument: String) {
        let digits = argument.hasSuffix("%") ? argument.dropLast() : argument[...]
        guard digits.allSatisfy({ $0.isASCII && ($0.isNumber || $0 == ".") }), let percent = Double(digits), percent <= 100
        else {
            return nil
        }
        share = percent / 100
    }

    init() { share = 0 }

    var defaultValueDescription: String { "\((share * 100).decimals(3))%" }
}

extension ArrivalSchedule.Spacing: ExpressibleByArgument {}
