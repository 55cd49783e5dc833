import AssayCore
import Foundation

/// Holds the facts of a vector against our claims.
enum FactComparison {
    /// The facts that differ, as sentences. A fact that we do not extract is not compared; a fact that is stated as absent
    /// must not be claimed.
    static func differences(_ facts: [String: Any], _ claims: Claims) -> [String] {
        facts.sorted { $0.key < $1.key }.compactMap { name, fact in
            let claim = claims[name.hasSuffix("_b64") ? String(name.dropLast(4)) : name]
            guard let claim else { return nil }
            return matches(fact, claim) ? nil : "\(name) is \(claim), expected \(fact)"
        }
    }

    private static func matches(_ fact: Any, _ claim: Claims.Value) -> Bool {
        switch claim {
        case .text(let text): fact as? String == text
        // Some facts state a number as it stands in the evidence, in digits.
        case .integer(let number): (fact as? NSNumber)?.int64Value == number || fact as? String == String(number)
        case .boolean(let flag): fact as? Bool == flag
        case .bytes(let bytes): (fact as? String).flatMap { Base64.standard.decode($0) } == bytes
        case .texts(let texts): (fact as? [String])?.sorted() == texts.sorted()
        case .time(let time): (fact as? String).flatMap { Timestamp(rfc3339: $0) } == time
        }
    }
}
