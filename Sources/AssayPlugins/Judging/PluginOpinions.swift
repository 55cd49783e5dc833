package import AssayCore
package import Logging
import Synchronization

/// Asks the plugins that judge evidence of one format for one app.
package final class PluginOpinions: OpinionSource, EvidencePreparer {
    /// The plugin whose judgement is the format's; `nil` for a built-in format that plugins can only reject.
    private let primary: PluginSupervisor?
    private let others: [PluginSupervisor]
    private let shadows: [PluginSupervisor]
    private let format: EvidenceFormat
    private let logger: Logger
    private let comparing = Atomic(0)

    /// Comparisons at a time. Others are left out.
    static let comparisonLimit = 64

    package init(
        _ format: EvidenceFormat, primary: PluginSupervisor?, others: [PluginSupervisor], shadows: [PluginSupervisor],
        logger: Logger
    ) {
        (self.format, self.primary, self.others, self.shadows) = (format, primary, others, shadows)
        self.logger = logger
    }

    package var decides: Bool { primary != nil || !others.isEmpty }

    package func locate(_ question: OpinionQuestion) async -> LocatedSubject {
        guard let primary else { return .none }
        do throws(PluginUnavailable) {
            return try await primary.locate(PluginRequest(question, primary.entry))
        } catch {
            return .unavailable(error.words)
        }
    }

    package func opinions(on question: OpinionQuestion) async -> [Opinion] {
        guard !others.isEmpty else {
            guard let primary else { return [] }
            return [await opinion(of: primary, on: question, isPrimary: true)]
        }
        return await withTaskGroup(of: Opinion.self) { group in
            if let primary { group.addTask { await self.opinion(of: primary, on: question, isPrimary: true) } }
            for other in others { group.addTask { await self.opinion(of: other, on: question, isPrimary: false) } }
            return await group.reduce(into: []) { $0.append($1) }
        }
    }

    private func opinion(of plugin: PluginSupervisor, on question: OpinionQuestion, isPrimary: Bool) async -> Opinion {
        var request = PluginRequest(question, plugin.entry)
        request.canAccept = isPrimary
        let answer: OutsideAnswer
        do throws(PluginUnavailable) {
            // The registry has been asked for the primary's device, and has refused it if it must not be used.
            switch isPrimary ? try await plugin.appraise(request) : try await plugin.judge(request) {
            case .appraised(_, let message, _): answer = .answered(message)
            case .refused(let rejection): answer = .refused(rejection)
            }
        } catch {
            answer = .unavailable(error.words)
        }
        return Opinion(plugin: plugin.entry.id, answer: answer)
    }

    package func prepare(
        _ body: [UInt8], for app: AppID, at now: Timestamp
    ) async throws(PreparationFailure) -> Preparation {
        guard let primary else { throw .notPrepared }
        guard primary.description?.formats.first(where: { $0.name == format })?.prepares ?? true else { throw .notPrepared }
        let result: Result<Preparation, Rejection>
        do throws(PluginUnavailable) {
            result = try await primary.prepare(body, format: format, app: app, now: now)
        } catch {
            throw .unavailable(
                "\(primary.entry.id): \(error.words)", check: PluginJudge.check, retryAfter: error.retryAfter)
        }
        switch result {
        case .success(let preparation): return preparation
        case .failure(let rejection): throw .refused(rejection)
        }
    }

    package func outage(at now: Timestamp) -> String? {
        for plugin in [primary].compactMap({ $0 }) + others {
            if let why = plugin.outage { return "\(plugin.entry.id): \(why)" }
        }
        return nil
    }

    // MARK: Shadows

    package func compare(_ question: OpinionQuestion, with appraisal: Appraisal) {
        guard !shadows.isEmpty, appraisal.failure != nil || appraisal.findings.allSatisfy({ $0.outcome != .unavailable })
        else { return }
        guard comparing.wrappingAdd(1, ordering: .relaxed).oldValue < Self.comparisonLimit else {
            comparing.wrappingSubtract(1, ordering: .relaxed)
            return
        }
        let decided = appraisal.failure?.code
        // The commit may come before the shadow's question what was used.
        let uses = Set(appraisal.uses.map(\.token))
        Task {
            defer { comparing.wrappingSubtract(1, ordering: .relaxed) }
            for shadow in shadows { await compare(question, decided, uses, shadow) }
        }
    }

    private func compare(
        _ question: OpinionQuestion, _ decided: String?, _ uses: Set<[UInt8]>, _ shadow: PluginSupervisor
    ) async {
        var request = PluginRequest(question, shadow.entry)
        request.ownUses = uses
        request.canAccept = primary != nil
        let found: String?
        do throws(PluginUnavailable) {
            switch try await shadow.judge(request) {
            case .appraised(let appraisal, _, _):
                guard appraisal.findings.allSatisfy({ $0.outcome != .unavailable }) || appraisal.failure != nil else { return }
                found = appraisal.failure?.code
            case .refused(let rejection): found = rejection.code.rawValue
            }
        } catch { return }
        shadow.count(agreement: found == decided)
        guard found != decided else { return }
        logger.info(
            "a shadow judges otherwise",
            metadata: [
                "plugin": "\(shadow.entry.id)", "format": "\(format)", "app": "\(question.app)",
                "request_id": "\(Hex.encode(question.requestID))", "decided": "\(decided ?? "accepted")",
                "shadow": "\(found ?? "accepted")",
            ])
    }
}

extension PluginRequest {
    fileprivate init(_ question: OpinionQuestion, _ entry: PluginEntry) {
        self.init(
            app: question.app, format: question.evidence.format, purpose: question.purpose, body: question.evidence.body,
            clientData: question.binding.expectedBytes,
            payloadHash: question.binding.payloadHash ?? [], requestID: question.requestID, now: question.now,
            ceiling: entry.ceiling)
        (device, signals) = (question.device, question.signals)
        if case .device(_, let subjectKey) = question.subject { self.subjectKey = subjectKey }
    }
}
