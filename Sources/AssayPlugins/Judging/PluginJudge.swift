import AssayAPI
package import AssayCore
import SwiftProtobuf

/// A plugin whose judgement counts: as the catalog has it today.
package struct PluginJudge: Hashable, Sendable {
    /// The entry's id, by which its opinion stands among the facts.
    package let id: String
    /// The plugin's own name.
    package let name: String
    /// The most that its judgement may give.
    package let ceiling: Assurance

    package init(id: String, name: String, ceiling: Assurance) { (self.id, self.name, self.ceiling) = (id, name, ceiling) }

    package init(_ entry: PluginEntry) { self.init(id: entry.id, name: entry.name, ceiling: entry.ceiling) }

    /// The name of the check that a plugin's answer can be used.
    static let check = "plugin"
    /// The code of the note that names the plugin.
    static let judgedBy = "judged_by"

    /// Reads the plugin's opinion. `nil` if it cannot be used, which is recorded.
    func judgement(
        in context: AppraisalContext, of scope: PluginScope, _ appraisal: inout Appraisal
    ) throws(Rejection) -> PluginAppraisal? {
        let answer = context.facts.opinions.first { $0.plugin == id }?.answer
        switch answer {
        case .answered(let message):
            do throws(PluginFault) {
                let judged = try PluginAppraisal(reading: message, in: scope)
                appraisal.note(Self.check, Self.judgedBy, id)
                return judged
            } catch {
                appraisal.unavailable(Self.check, PluginUnavailableCode.invalidAnswer, "\(id): \(error.description)")
            }
        case .refused(let rejection):
            appraisal.note(Self.check, Self.judgedBy, id)
            try appraisal.check(Self.check) { () throws(Rejection) -> Void in throw rejection }
        case .unavailable(let why):
            appraisal.unavailable(Self.check, PluginUnavailableCode.noAnswer, "\(id): \(why)")
        case .stated, nil:
            appraisal.unavailable(Self.check, PluginUnavailableCode.noAnswer, "\(id): the plugin was not asked")
        }
        return nil
    }

    /// Adds the plugin's objections, as a second opinion: it can reject, and says nothing else.
    ///
    /// - Parameter declared: what this plugin declared of the format.
    func object(
        in context: AppraisalContext, declared: PluginFormat, app: AppID, _ appraisal: inout Appraisal
    ) throws(Rejection) {
        let scope = PluginScope(
            plugin: name, format: declared, app: app, purpose: nil, clientDataSHA256: nil, payloadSHA256: nil, hasDevice: false,
            ceiling: .none,
            now: context.now, toldBlock: true, canAccept: false)
        guard let judged = try judgement(in: context, of: scope, &appraisal) else { return }
        for finding in judged.findings { appraisal.findings.append(finding.named(by: id)) }
        if let rejection = judged.failure?.rejection { throw rejection }
    }
}

/// The codes of findings that a plugin gave no usable answer.
package enum PluginUnavailableCode {
    package static let noAnswer = "plugin_unavailable"
    package static let invalidAnswer = "plugin_invalid_answer"
}

extension PluginAppraisal {
    /// Reads a stored answer.
    init(reading message: [UInt8], in scope: PluginScope) throws(PluginFault) {
        guard let response = try? Assay_Plugin_V1_AppraiseResponse(serializedBytes: message) else {
            throw PluginFault("the answer cannot be decoded")
        }
        try self.init(response, in: scope)
    }
}

extension PluginAppraisal.Use {
    /// What an acceptance uses up.
    func evidenceUses(in app: AppID) -> [EvidenceUse] {
        switch self {
        case .challenge, .payload: []
        case .tokens(let tokens):
            tokens.map {
                EvidenceUse(app: app, digest: $0.digest, until: $0.until, repetition: .rejected($0.used))
            }
        case .statement(let digest, let until): [EvidenceUse(app: app, digest: digest, until: until, repetition: .repeated)]
        }
    }
}

extension Finding {
    /// The finding with the name of the plugin before that of its check.
    fileprivate func named(by plugin: String) -> Finding {
        var named = Finding(check: "\(plugin).\(check)", outcome: outcome, code: code, detail: detail, retry: retry)
        named.vendorCode = vendorCode
        return named
    }
}

/// A plugin that can only reject, with what it declared of the format.
package struct SecondOpinion: Hashable, Sendable {
    package let judge: PluginJudge
    package let declared: PluginFormat

    package init(_ judge: PluginJudge, declared: PluginFormat) { (self.judge, self.declared) = (judge, declared) }
}
