import AssayCore
import Foundation

/// Compares the facts of a vector with the verifier's claims.
enum FactComparison {
    /// The facts that differ, as sentences. A fact that is never claimed is not compared; a fact stated as absent must not be
    /// claimed.
    static func differences(_ facts: [String: Any], _ claims: Claims) -> [String] {
        flat(facts).sorted { $0.key < $1.key }.compactMap { name, fact in
            guard let claim = claims[claimName(of: name)] else { return nil }
            return matches(fact, claim) ? nil : "\(name) is \(claim), expected \(fact)"
        }
    }

    /// The name of the claim with the meaning of a fact.
    static func claimName(of fact: String) -> String { fact.hasSuffix("_b64") ? String(fact.dropLast(4)) : fact }

    /// Nested facts, and members of a list of objects, by the names of all levels with dots between them.
    static func flat(_ facts: [String: Any]) -> [String: Any] {
        var flat: [String: Any] = [:]
        for (name, fact) in facts {
            if let inner = fact as? [String: Any] {
                for (part, value) in self.flat(inner) { flat["\(name).\(part)"] = value }
            } else if let list = fact as? [[String: Any]], !list.isEmpty {
                for part in Set(list.flatMap(\.keys)) { flat["\(name).\(part)"] = list.compactMap { $0[part] } }
            } else {
                flat[name] = fact
            }
        }
        return flat
    }

    private static func matches(_ fact: Any, _ claim: Claims.Value) -> Bool {
        switch claim {
        case .text(let text): fact as? String == text
        // Some facts state a number in digits, as in the evidence.
        case .integer(let number): (fact as? NSNumber)?.int64Value == number || fact as? String == String(number)
        case .boolean(let flag): fact as? Bool == flag
        case .bytes(let bytes): (fact as? String).flatMap { Base64.standard.decode($0) } == bytes
        case .texts(let texts): matches(fact, texts)
        case .time(let time):
            (fact as? String).flatMap { Timestamp(rfc3339: $0) } == time
                || (fact as? NSNumber)?.int64Value == time.unixMilliseconds
        }
    }

    /// A list in any order: of texts, of numbers that are claimed in digits, of bytes that are claimed in hexadecimal.
    private static func matches(_ fact: Any, _ texts: [String]) -> Bool {
        let claimed = texts.sorted()
        if let facts = fact as? [String] {
            return facts.sorted() == claimed
                || facts.compactMap { Base64.standard.decode($0).map { Hex.encode($0) } }.sorted() == claimed
        }
        return (fact as? [NSNumber])?.map { "\($0.int64Value)" }.sorted() == claimed
    }
}
