/// One file's tests through one path, and what came of them.
struct WycheproofRun {
    /// The file without its extension.
    let file: String
    /// The way by which such bytes arrive, as the page names it.
    let path: String
    private(set) var tests = 0
    /// Results as the file wants them.
    private(set) var agreed = 0
    /// Values that implementations may refuse, and whether they were.
    private(set) var acceptable = (accepted: 0, refused: 0)
    /// Valid values that are refused, by the written reason.
    private(set) var refused: [String: Int] = [:]
    /// Tests whose fault a path here cannot receive, by the written reason.
    private(set) var leftOut: [String: Int] = [:]
    /// Differences without a reason, and invalid values that were accepted. None may be left.
    private(set) var failures: [String] = []

    /// - Parameters:
    ///   - reason: why a valid value of this test is refused here; `nil` if it has to be accepted.
    ///   - absence: why a test cannot arrive here; `nil` if it can.
    ///   - accepts: whether the path accepts the test's value.
    init(
        _ file: String, through path: String,
        refusing reason: (WycheproofFile.Group, WycheproofFile.Vector) -> String? = { _, _ in nil },
        leavingOut absence: (WycheproofFile.Group, WycheproofFile.Vector) -> String? = { _, _ in nil },
        accepts: (WycheproofFile.Group, WycheproofFile.Vector) throws -> Bool
    ) throws {
        (self.file, self.path) = (file, path)
        let vectors = try WycheproofFile.read(file)
        for group in vectors.testGroups {
            for vector in group.tests {
                tests += 1
                if let why = absence(group, vector) {
                    leftOut[why, default: 0] += 1
                    continue
                }
                add(vector, accepted: try accepts(group, vector), reason: reason(group, vector))
            }
        }
        if tests != vectors.numberOfTests { failures.append("\(tests) tests, the file says \(vectors.numberOfTests)") }
    }

    private mutating func add(_ vector: WycheproofFile.Vector, accepted: Bool, reason: String?) {
        switch (vector.result, accepted) {
        case (.valid, true) where reason == nil, (.invalid, false): agreed += 1
        case (.acceptable, true): acceptable.accepted += 1
        case (.acceptable, false): acceptable.refused += 1
        case (.valid, false):
            guard let reason else { return failures.append("\(vector.tcId), \(vector.comment): valid, and refused") }
            refused[reason, default: 0] += 1
        case (.valid, true): failures.append("\(vector.tcId), \(vector.comment): accepted, although \(reason ?? "")")
        case (.invalid, true): failures.append("\(vector.tcId), \(vector.comment): invalid, and accepted")
        }
    }

    /// The row of the page's table.
    var row: String {
        var words = refused.sorted { $0.key < $1.key }.map { "\($0.value) valid refused: \($0.key)" }
        words += leftOut.sorted { $0.key < $1.key }.map { "\($0.value) left out: \($0.key)" }
        if acceptable.refused > 0 { words.append("\(acceptable.refused) acceptable refused") }
        if acceptable.accepted > 0 { words.append("\(acceptable.accepted) acceptable accepted") }
        return "| \(file) | \(path) | \(tests) | \(agreed) | \(words.joined(separator: "; ")) |"
    }
}
