import AssayCertificates
import AssayConfiguration
import AssayCore
import AssaySQLite
import AssaySchemes
import AssayService
import Foundation
package import Logging

/// Runs the cases of a file under its configuration, in this process and without a network: by the verifiers and the pipeline of the daemon.
///
/// Vendors are not asked and plugins are not started: evidence that needs them stays unjudged.
package struct PolicyCaseRunner {
    private let file: PolicyCaseFile
    private let logger: Logger

    package init(_ file: PolicyCaseFile, logger: Logger) { (self.file, self.logger) = (file, logger) }

    /// Runs every case in order. Throws a sentence where a case cannot be run at all.
    ///
    /// - Parameter report: called with each result.
    package func run(_ report: (PolicyCaseResult) -> Void) async throws(TrialError) {
        for policyCase in file.cases {
            let outcome = try await outcome(of: policyCase)
            let (found, detail) = outcome.shown
            report(
                PolicyCaseResult(
                    name: policyCase.name, line: policyCase.line, expected: policyCase.expectation.shown, found: found,
                    detail: detail, passed: policyCase.expectation.isMet(by: outcome)))
        }
    }

    private var dependencies: SchemeDependencies {
        let live = file.configuration.live
        return SchemeDependencies(
            testRoots: live.testRoots, revocationLists: file.revocationLists,
            deviceAuthorities: live.provisioning?.anchors ?? [])
    }

    private func outcome(of policyCase: PolicyCase) async throws(TrialError) -> TrialOutcome {
        let live = file.configuration.live
        guard let app = live.apps.first(where: { $0.id == policyCase.app }) else {
            throw TrialError("the configuration has no app \(policyCase.app)")
        }
        let profile = AppProfile(app, of: live.schemes, in: dependencies, logger: logger)
        switch policyCase.subject {
        case .device(let device): return judge(device, of: app, profile, at: policyCase.now)
        case .evidence: return try await judge(policyCase, profile)
        }
    }

    /// What a registered device is worth: by the appraiser of its format, which judges each later use of its key.
    private func judge(
        _ device: Device, of app: AppConfiguration, _ profile: AppProfile, at now: Timestamp
    ) -> TrialOutcome {
        let dependencies = dependencies.of(app.id)
        let appraisers = app.sections.flatMap { $0.section.deviceAppraisers(dependencies) }
        guard let appraiser = appraisers.first(where: { $0.format == device.registration.format }) else {
            return .rejected(
                Rejection(.formatNotAccepted, "the app does not accept \(device.registration.format)"), check: "evidence")
        }
        let facts = Facts(device: device, revocation: profile.revocation?.knowledge(at: now) ?? .notConsulted)
        let context = AppraisalContext(binding: .inEvidence, facts: facts, now: now)
        let appraisal = Appraisal.build(appraiser.format) { (appraisal) throws(Rejection) in
            try appraiser.judge(device, in: context, &appraisal)
        }
        return TrialOutcome([appraisal], under: profile)
    }

    /// By the pipeline, over a ledger of the case's own, in which the cases before it that it names were accepted.
    private func judge(_ policyCase: PolicyCase, _ profile: AppProfile) async throws(TrialError) -> TrialOutcome {
        let folder: String
        do { folder = try Self.temporaryFolder() } catch { throw TrialError("no folder for a ledger: \(error)") }
        defer { try? FileManager.default.removeItem(atPath: folder) }
        do {
            let ledger = try await SQLiteBackend(path: folder + "/ledger.db").open(mayCreate: true) { _ in }
            defer { ledger.close() }
            var steps = [policyCase]
            while let name = steps.first?.after, let before = file.cases.first(where: { $0.name.hasBytes(of: name) }) {
                steps.insert(before, at: 0)
            }
            let trial = try await EvidenceTrial(
                ledger: ledger, clock: CaseClock(steps.first?.now ?? policyCase.now), logger: logger)
            var outcome = TrialOutcome.unjudged(check: "evidence", "nothing was judged")
            for step in steps {
                guard case .evidence(let request) = step.subject else { continue }
                outcome = await trial.judge(request, under: profile, at: step.now)
                guard step.name != policyCase.name else { break }
                guard case .accepted = outcome else {
                    let (word, detail) = outcome.shown
                    return .unjudged(check: "after", "the case \"\(step.name)\" before it is \(word): \(detail)")
                }
            }
            return outcome
        } catch {
            throw TrialError("\(error)")
        }
    }

    /// A folder that only this user can read.
    private static func temporaryFolder() throws -> String {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent(
            "assay-policy-\(Hex.encode(SecureRandom.bytes(8)))"
        ).path
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        return path
    }

    private struct CaseClock: WallClock {
        let time: Timestamp
        init(_ time: Timestamp) { self.time = time }
        func now() -> Timestamp { time }
    }
}
