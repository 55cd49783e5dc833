/// A small reader of the text formats, independent of the writer: it accepts what the formats' descriptions allow and nothing else.
struct ParsedExposition {
    struct Sample: Hashable {
        let name: String
        let labels: [String: String]
        let value: Double
    }

    struct Malformed: Error, CustomStringConvertible {
        let description: String
    }

    private(set) var types: [String: String] = [:]
    private(set) var units: [String: String] = [:]
    private(set) var helps: [String: String] = [:]
    private(set) var samples: [Sample] = []
    private(set) var hasEnd = false

    init(_ text: [UInt8]) throws {
        guard text.last == UInt8(ascii: "\n") else { throw Malformed(description: "the last line has no end") }
        var seen: Set<[String]> = []
        for line in text.dropLast().split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            guard !hasEnd else { throw Malformed(description: "a line after # EOF") }
            let words = line.split(separator: UInt8(ascii: " "), maxSplits: 3).map { String(decoding: $0, as: UTF8.self) }
            guard words.first == "#" else {
                let sample = try Self.sample(Array(line))
                let identity = [sample.name] + sample.labels.sorted { $0.key < $1.key }.flatMap { [$0.key, $0.value] }
                guard seen.insert(identity).inserted else { throw Malformed(description: "twice: \(identity)") }
                samples.append(sample)
                continue
            }
            switch words.dropFirst().first {
            case "EOF": hasEnd = true
            case "TYPE" where words.count == 4 && types[words[2]] == nil: types[words[2]] = words[3]
            case "UNIT" where words.count == 4: units[words[2]] = words[3]
            case "HELP" where words.count == 4: helps[words[2]] = words[3]
            default: throw Malformed(description: "a comment of another kind: \(words)")
            }
        }
    }

    private static func sample(_ line: [UInt8]) throws -> Sample {
        var rest = line[...]
        func malformed() -> Malformed { Malformed(description: String(decoding: line, as: UTF8.self)) }
        let name = rest.prefix { $0 != UInt8(ascii: "{") && $0 != UInt8(ascii: " ") }
        guard let first = name.first, !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) else { throw malformed() }
        rest = rest.dropFirst(name.count)
        var labels: [String: String] = [:]
        if rest.first == UInt8(ascii: "{") {
            while rest.first != UInt8(ascii: "}") {
                rest = rest.dropFirst()
                let label = rest.prefix { $0 != UInt8(ascii: "=") }
                rest = rest.dropFirst(label.count + 1)
                guard rest.popFirst() == UInt8(ascii: "\""), !label.isEmpty else { throw malformed() }
                var value: [UInt8] = []
                while let byte = rest.popFirst(), byte != UInt8(ascii: "\"") {
                    guard byte == UInt8(ascii: "\\") else {
                        value.append(byte)
                        continue
                    }
                    switch rest.popFirst() {
                    case UInt8(ascii: "n"): value.append(UInt8(ascii: "\n"))
                    case UInt8(ascii: "\\"): value.append(UInt8(ascii: "\\"))
                    case UInt8(ascii: "\""): value.append(UInt8(ascii: "\""))
                    default: throw malformed()
                    }
                }
                guard rest.first == UInt8(ascii: ",") || rest.first == UInt8(ascii: "}") else { throw malformed() }
                labels[String(decoding: label, as: UTF8.self)] = String(decoding: value, as: UTF8.self)
            }
            rest = rest.dropFirst()
        }
        guard rest.popFirst() == UInt8(ascii: " ") else { throw malformed() }
        let number = String(decoding: rest, as: UTF8.self)
        let value: Double? =
            switch number {
            case "+Inf": .infinity
            case "-Inf": -.infinity
            case "NaN": .nan
            default: Double(number)
            }
        guard let value else { throw malformed() }
        return Sample(name: String(decoding: name, as: UTF8.self), labels: labels, value: value)
    }

    func value(_ name: String, _ labels: [String: String] = [:]) -> Double? {
        samples.first { $0.name == name && $0.labels == labels }?.value
    }
}
