import Foundation

/// Prints results for people or for tools, and counts them.
package struct ConformanceReport: Sendable {
    package let json: Bool
    package private(set) var passed = 0
    package private(set) var failed = 0
    package private(set) var skipped = 0
    /// There was no vector, not even a skipped one.
    package private(set) var isEmpty = true

    package init(json: Bool) { self.json = json }

    /// The line of a result.
    package mutating func line(_ result: Conformance.Result) -> String {
        isEmpty = false
        if result.actual == .skipped {
            skipped += 1
        } else if !result.disputed {
            if result.ok { passed += 1 } else { failed += 1 }
        }
        return json ? Self.object(result) : Self.sentence(result)
    }

    /// The last line.
    package var summary: String { "\(passed) passed, \(failed) failed, \(skipped) skipped" }

    private static func sentence(_ result: Conformance.Result) -> String {
        if result.actual == .skipped { return "skipped \(result.id): \(result.detail) (\(result.kind))" }
        let mark = result.disputed ? (result.ok ? "disputed, agrees" : "disputed, differs") : (result.ok ? "ok" : "FAILED")
        guard !result.ok else { return "\(mark) \(result.id)" }
        let came = result.code.isEmpty ? result.actual.rawValue : "\(result.actual.rawValue) \(result.code)"
        let expected = result.expectedReason.isEmpty ? result.expect : "\(result.expect) \(result.expectedReason)"
        return "\(mark) \(result.id): expected \(expected), came \(came): \(result.detail)"
    }

    private static func object(_ result: Conformance.Result) -> String {
        let object: [String: Any] = [
            "id": result.id, "kind": result.kind, "expect": result.expect, "actual": result.actual.rawValue,
            "code": result.code, "ok": result.ok, "detail": result.detail, "disputed": result.disputed,
        ]
        let data =
            (try? JSONSerialization.data(withJSONObject: object, options: [.sortedKeys, .withoutEscapingSlashes])) ?? Data()
        return String(decoding: data, as: UTF8.self)
    }
}
