import AssayCore

/// Compares the trees of two answers.
struct AnswerDifference {
    /// How far times may be apart, in milliseconds: the daemons do not get a request at the same time.
    private static let patience: Int64 = 60_000
    /// Sizes of files.
    private static let ignored: Set<String> = ["state.bytes"]

    var drawn = DrawnValues()
    private var found: [String] = []

    /// What differs between two answers, each with its place.
    mutating func between(_ one: AnswerTree, _ other: AnswerTree) -> [String] {
        found = []
        compare(one, other, at: "", .equal)
        return found
    }

    private mutating func compare(_ one: AnswerTree?, _ other: AnswerTree?, at place: String, _ rule: DrawnValues.Rule) {
        guard !Self.ignored.contains(place) else { return }
        switch (one, other) {
        case (.object(let ones), .object(let others)):
            for member in Set(ones.keys).union(others.keys).sorted() {
                compare(
                    ones[member], others[member], at: place.isEmpty ? member : "\(place).\(member)",
                    DrawnValues.rule(for: member, of: ones))
            }
        case (.list(let ones), .list(let others)) where ones.count == others.count:
            for (index, (a, b)) in zip(ones, others).enumerated() {
                let name = (a["name"] ?? a["check"]).map { " " + $0.text } ?? ""
                compare(a, b, at: "\(place)[\(index)\(name)]", rule)
            }
        case (.leaf(let a), .leaf(let b)):
            let isEqual =
                switch rule {
                case .equal: areEqual(a, b, place)
                case .drawn: drawn.match(a, b)
                case .free: true
                }
            if !isEqual { note(one, other, at: place) }
        default: note(one, other, at: place)
        }
    }

    private mutating func note(_ one: AnswerTree?, _ other: AnswerTree?, at place: String) {
        found.append("\(place): \(one?.description ?? "absent") and \(other?.description ?? "absent")")
    }

    /// Whether two values are equal but for times, and for devices that a sentence names.
    private mutating func areEqual(_ one: String, _ other: String, _ place: String) -> Bool {
        if one == other { return true }
        if place.hasSuffix("UnixMs") || place == "retryAfterMs", let a = Int64(one), let b = Int64(other), a > 0, b > 0 {
            return abs(a - b) <= Self.patience
        }
        let (words, others) = (one.split(separator: " "), other.split(separator: " "))
        guard words.count == others.count else { return false }
        for (index, (a, b)) in zip(words, others).enumerated() where a != b {
            let isCount = index + 1 < words.count && words[index + 1].bare == "s"
            guard Self.areTimes(a, b, isCount: isCount) || nameDevices(a, b) else { return false }
        }
        return true
    }

    /// Whether two words of a sentence are times, or lengths of time, that may stand for each other.
    ///
    /// - Parameter isCount: they may be numbers of seconds.
    private static func areTimes(_ one: Substring, _ other: Substring, isCount: Bool) -> Bool {
        if let a = Timestamp(rfc3339: one.bare), let b = Timestamp(rfc3339: other.bare) {
            return abs(a.milliseconds(since: b)) <= patience
        }
        let (counts, lengths) = ((Int64(one), Int64(other)), (one.bare.seconds, other.bare.seconds))
        if isCount, let a = counts.0, let b = counts.1 { return abs(a - b) <= patience / 1000 }
        guard let a = lengths.0, let b = lengths.1 else { return false }
        return abs(a - b) <= patience / 1000
    }

    /// Whether two words are devices that stand for each other.
    private mutating func nameDevices(_ one: Substring, _ other: Substring) -> Bool {
        func id(_ word: Substring) -> String? {
            guard word.bare.hasPrefix("dev_") else { return nil }
            // As answers have it.
            return Hex.decode(word.bare.dropFirst(4)).map { Base64.standard.encode($0) }
        }
        guard let a = id(one), let b = id(other) else { return false }
        return drawn.match(a, b)
    }
}

extension Substring {
    /// A word without punctuation at its ends.
    fileprivate var bare: Substring {
        var word = drop { $0 == "(" }
        while let last = word.last, ",;:.)".contains(last) { word.removeLast() }
        return word
    }

    /// The seconds in `2h1m27s`.
    fileprivate var seconds: Int64? {
        guard !isEmpty else { return nil }
        let units: [Character: Int64] = ["d": 86_400, "h": 3600, "m": 60, "s": 1]
        var (total, rest) = (Int64(0), self)
        while !rest.isEmpty {
            let digits = rest.prefix { $0.isWholeNumber }
            guard let number = Int32(digits), let unit = rest.dropFirst(digits.count).first.flatMap({ units[$0] }) else {
                return nil
            }
            total += Int64(number) * unit
            rest = rest.dropFirst(digits.count + 1)
        }
        return total
    }
}
