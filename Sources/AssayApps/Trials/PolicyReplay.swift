package import AssayConfiguration
package import AssayCore
import AssaySchemes
import AssayService
package import Logging

/// Judges recordings again under the apps of a candidate configuration, in this process and without a network.
package struct PolicyReplay {
    /// The result of one recording.
    enum Outcome: Hashable, Sendable {
        case judged(VerdictDifference, byEvidence: Bool)
        case notJudged(RecordingTrial.Obstacle)
        /// The candidate has no such app.
        case unknownApp
    }

    /// An app of the candidate.
    private struct Candidate {
        let profile: AppProfile
        let policy: AppPolicy
        let isShown: @Sendable (String) -> Bool
        /// Formats about which the secrets of the app's fleet decide, which the daemon alone has.
        let secretFormats: Set<EvidenceFormat>
    }

    private let candidates: [AppID: Candidate]
    /// What the candidate states otherwise, by the digest of the policy that judged.
    private var changes: [AppID: [[UInt8]: [String]]] = [:]
    package private(set) var totals: [AppID: ReplayTotals] = [:]
    /// Recordings of another version.
    package private(set) var unreadable: UInt64 = 0

    package init(_ candidate: Configuration, logger: Logger) {
        let live = candidate.live
        let authorities = live.provisioning?.anchors ?? []
        let dependencies = SchemeDependencies(testRoots: live.testRoots, deviceAuthorities: authorities)
        candidates = Dictionary(
            live.apps.map { app in
                let keys = live.schemes.flatMap { scheme in
                    scheme.sectionKey.map { key in scheme.keysShownByClaims.map { "\(key).\($0)" } } ?? []
                }
                return (
                    app.id,
                    Candidate(
                        profile: AppProfile(app, of: live.schemes, in: dependencies, logger: logger),
                        policy: live.policy(of: app),
                        isShown: { [shown = Set(keys)] in Self.isShown($0, among: shown) },
                        secretFormats: app.provisioning?.fleet == nil ? [] : app.fleetFormats(dependencies))
                )
            }, uniquingKeysWith: { first, _ in first })
    }

    package func knows(_ app: AppID) -> Bool { candidates[app] != nil }

    /// Judges one recording, and counts it. Returns the flip, if the candidate decides otherwise.
    ///
    /// - Parameters:
    ///   - content: `Recording.encoded()`.
    ///   - evidence: `RecordedEvidence.encoded()`; empty if it is not kept.
    ///   - policy: the text of a policy by its digest; `nil` if it is not on record.
    package mutating func judge(
        _ content: [UInt8], evidence: [UInt8], policy: ([UInt8]) async throws -> String?
    ) async throws -> ReplayedFlip? {
        guard let recording = Recording(decoding: content) else {
            unreadable += 1
            return nil
        }
        let app = recording.record.request.app
        guard let candidate = candidates[app] else {
            totals[app, default: ReplayTotals()].count(.unknownApp)
            return nil
        }
        let digest = recording.record.policyDigest
        let changed: [String]
        if let known = changes[app]?[digest] {
            changed = known
        } else {
            changed = Self.changes(from: try await policy(digest), digest, to: candidate.policy)
            changes[app, default: [:]][digest] = changed
        }
        let trial = RecordingTrial(candidate.profile, changed: changed, isShownByClaims: candidate.isShown)
        let kept = evidence.isEmpty ? nil : RecordedEvidence(decoding: evidence)
        let outcome: Outcome
        if let kept, kept.request.evidence.contains(where: { candidate.secretFormats.contains($0.format) }) {
            outcome = .notJudged(.factMissing(check: "secret"))
        } else {
            outcome =
                switch trial.judge(recording, evidence: kept) {
                case .judged(let difference, let byEvidence): .judged(difference, byEvidence: byEvidence)
                case .notJudged(let obstacle): .notJudged(obstacle)
                }
        }
        totals[app, default: ReplayTotals()].count(outcome)
        guard case .judged(let difference, let byEvidence) = outcome, difference.change.isFlip else { return nil }
        return ReplayedFlip(difference, byEvidence: byEvidence)
    }

    /// The keys of the settings that differ. A policy without a text may differ in anything.
    private static func changes(from text: String?, _ digest: [UInt8], to candidate: AppPolicy) -> [String] {
        guard digest != candidate.digest else { return [] }
        guard let text else { return ["(its policy is not on record)"] }
        let keys = PolicyDifference(text, candidate.text).lines.map(\.key)
        return keys.isEmpty ? ["(settings whose text is the same)"] : keys
    }

    /// Settings of every app that claims and the record of the device show.
    private static let common: Set<String> = ["app", "accept_simulated", "device.flags.reject"]

    /// - Parameter key: of a policy's text, such as `android.packages[com.example].signers`.
    private static func isShown(_ key: String, among shown: Set<String>) -> Bool {
        if common.contains(key) || shown.contains(key) { return true }
        return key.indices.contains { index in
            (key[index] == "." || key[index] == "[") && shown.contains(String(key[..<index]))
        }
    }
}

extension AppConfiguration {
    /// The formats of sections that accept certificates of the app's fleet.
    fileprivate func fleetFormats(_ dependencies: SchemeDependencies) -> Set<EvidenceFormat> {
        Set(
            sections.filter { !$0.section.fleetArcs.isEmpty }.flatMap {
                $0.section.verifiers(dependencies.of(id)).map(\.format)
            })
    }
}
