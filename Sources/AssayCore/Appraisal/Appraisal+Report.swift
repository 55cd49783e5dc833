/// Checks that go on after a failure, under a report of every failure. In a verdict's first failure, and in an examination, these functions change
/// nothing.
extension Appraisal {
    /// Runs a step whose result few later ones need. Returns `nil` after a failure under a report of every failure, otherwise throws it.
    @inlinable
    public mutating func attempt<T>(_ name: String, _ step: () throws(Rejection) -> T) throws(Rejection) -> T? {
        do throws(Rejection) {
            return try check(name, step)
        } catch {
            guard report == .all else { throw error }
            return nil
        }
    }

    /// Runs checks of which no later one needs a result: under a report of every failure the list goes on behind them.
    public mutating func independently(_ checks: (inout Appraisal) throws(Rejection) -> Void) throws(Rejection) {
        do throws(Rejection) {
            try checks(&self)
        } catch {
            guard report == .all else { throw error }
            sayUnchecked()
        }
    }

    /// Ends the list if a check failed before. Stands before checks that read what the earlier ones authenticate: of bytes that are not authentic
    /// nothing is reported, neither good nor bad.
    ///
    /// Only a report of every failure comes here after a failure in a verdict.
    public mutating func requireAllPassed() throws(Rejection) {
        guard report == .all, let rejection = failure?.rejection else { return }
        sayUnchecked("what follows reads bytes that the failed checks would have authenticated")
        throw rejection
    }

    /// Ends the list if the check failed: the following ones would fail for the same reason.
    public mutating func requirePassed(_ name: String) throws(Rejection) {
        guard report == .all, let failed = findings.first(where: { $0.outcome == .fail && $0.check == name }),
            let rejection = failed.rejection
        else { return }
        throw rejection
    }

    /// Says once after failures that checks were left out because of them.
    public mutating func sayUnchecked(_ why: String? = nil) {
        guard !saysUnchecked, let last = findings.last(where: { $0.outcome == .fail }) else { return }
        saysUnchecked = true
        findings.append(.unchecked(Finding.furtherChecks, why ?? "what needs the result of \(last.check) was not checked"))
    }
}

extension Finding {
    /// The code of a check that was not made because another one failed.
    public static let notChecked = "not_checked"
    /// The name of the finding that stands for all checks of a piece of evidence which were not made.
    public static let furtherChecks = "further_checks"

    /// A check that was not made because another one failed.
    public static func unchecked(_ check: String, _ why: String) -> Finding {
        Finding(check: check, outcome: .skipped, code: notChecked, detail: why)
    }
}
