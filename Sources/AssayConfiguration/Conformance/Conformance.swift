import AssayCore
import AssayFiles
package import AssaySchemes
import Foundation

/// Runs folders of vector files and compares each outcome with the true one.
package struct Conformance: Sendable {
    /// One vector's result.
    package struct Result: Sendable {
        package enum Actual: String, Sendable { case accept, reject, error, skipped }

        package let id: String
        package let kind: String
        package let expect: String
        /// The expected reason of a rejection; empty for an acceptance, or if none is stated.
        package let expectedReason: String
        package let actual: Actual
        package let code: String
        /// The difference, why there is no outcome, and the sentence of a rejection; empty for an acceptance as expected.
        package let detail: String
        package let ok: Bool
        package let disputed: Bool
    }

    private let judges: [String: any VectorRunner]

    /// The largest vector file, in bytes.
    private static let sizeLimit = 16 << 20

    package init(_ schemes: [any AttestationScheme.Type] = builtInSchemes) {
        judges = Dictionary(
            schemes.flatMap { $0.vectorRunners }.map { ($0.kind, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// The kinds of vectors that can be run.
    package var kinds: [String] { judges.keys.sorted() }

    /// Runs every `.json` file at or below `folder`, in the order of their names; with `kind` only those of that kind.
    package func run(_ folder: String, kind: String? = nil, _ report: (Result) -> Void) throws(ConformanceError) {
        for file in try Self.files(folder) {
            guard let result = judge(file), kind == nil || result.kind == kind else { continue }
            report(result)
        }
    }

    private static func files(_ folder: String) throws(ConformanceError) -> [URL] {
        var isDirectory: ObjCBool = false
        guard FileManager.default.fileExists(atPath: folder, isDirectory: &isDirectory) else {
            throw ConformanceError("there is no file or folder \(folder)")
        }
        guard isDirectory.boolValue else { return [URL(fileURLWithPath: folder)] }
        guard let walk = FileManager.default.enumerator(at: URL(fileURLWithPath: folder), includingPropertiesForKeys: nil)
        else {
            throw ConformanceError("the folder \(folder) cannot be read")
        }
        return walk.compactMap { $0 as? URL }.filter { $0.pathExtension == "json" }.sorted { $0.path < $1.path }
    }

    /// `nil` if the file is not a vector.
    private func judge(_ file: URL) -> Result? {
        let name = file.deletingPathExtension().lastPathComponent
        let vector: Vector
        do {
            guard let read = try Vector(Data(try BoundedFile.read(file.path, atMost: Self.sizeLimit))) else { return nil }
            vector = read
        } catch {
            return Result(
                id: name, kind: "", expect: "", expectedReason: "", actual: .error, code: "", detail: "\(error)", ok: false,
                disputed: false)
        }
        guard let judge = judges[vector.kind] else { return Result(vector, .skipped, detail: "no judge for this kind") }
        do throws(VectorError) {
            return Result(vector, try judge.judge(vector))
        } catch {
            return Result(vector, .error, detail: error.description)
        }
    }
}

extension Conformance.Result {
    fileprivate init(_ vector: Vector, _ actual: Actual, detail: String) {
        self.init(
            id: vector.id, kind: vector.kind, expect: vector.expectation.verdict,
            expectedReason: vector.expectation.reasons.first ?? "", actual: actual, code: "", detail: detail,
            ok: false, disputed: vector.disputed)
    }

    fileprivate init(_ vector: Vector, _ outcome: VectorOutcome) {
        let code = outcome.rejection?.code.rawValue ?? ""
        let accepted = outcome.rejection == nil
        var problems: [String] = []
        if accepted != vector.expectation.accept {
            problems.append(accepted ? "accepted" : "rejected")
        } else if !accepted, !vector.expectation.reasons.isEmpty, !vector.expectation.reasons.contains(code) {
            problems.append("another reason")
        }
        problems += FactComparison.differences(vector.expectation.facts, outcome.claims)
        let detail = (problems + [outcome.rejection?.detail].compactMap { $0 }).joined(separator: "; ")
        self.init(
            id: vector.id, kind: vector.kind, expect: vector.expectation.verdict,
            expectedReason: vector.expectation.reasons.first ?? "", actual: accepted ? .accept : .reject,
            code: code, detail: detail, ok: problems.isEmpty, disputed: vector.disputed)
    }
}

extension Vector.Expectation {
    fileprivate var verdict: String { accept ? "accept" : "reject" }
}

/// The folder cannot be read.
package struct ConformanceError: Error, CustomStringConvertible {
    package let description: String
    init(_ description: String) { self.description = description }
}

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
