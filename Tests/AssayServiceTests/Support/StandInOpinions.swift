import AssayAPI
import AssayCore
import AssayPlugins
import Foundation
import SwiftProtobuf
import Synchronization

/// Plugins that say what a test gives them, by their ids.
final class StandInOpinions: OpinionSource, EvidencePreparer {
    struct State: Sendable {
        var answers: [String: OutsideAnswer] = [:]
        var subject = LocatedSubject.none
        var questions: [OpinionQuestion] = []
        var compared: [String?] = []
        var preparation: Result<Preparation, PreparationFailure> = .failure(.notPrepared)
        var outage: String?
    }

    let state: Mutex<State>
    let decides: Bool

    init(decides: Bool = true, _ answers: [String: OutsideAnswer] = [:]) {
        self.decides = decides
        state = Mutex(State(answers: answers))
    }

    func answer(_ plugin: String, _ answer: OutsideAnswer) { state.withLock { $0.answers[plugin] = answer } }
    var questions: [OpinionQuestion] { state.withLock { $0.questions } }

    func locate(_ question: OpinionQuestion) async -> LocatedSubject { state.withLock { $0.subject } }

    func opinions(on question: OpinionQuestion) async -> [Opinion] {
        state.withLock { state in
            state.questions.append(question)
            return state.answers.map { Opinion(plugin: $0.key, answer: $0.value) }
        }
    }

    func compare(_ question: OpinionQuestion, with appraisal: Appraisal) {
        state.withLock { $0.compared.append(appraisal.failure?.code) }
    }

    func prepare(_ body: [UInt8], for app: AppID, at now: Timestamp) async throws(PreparationFailure) -> Preparation {
        try state.withLock { $0.preparation }.get()
    }

    func outage(at now: Timestamp) -> String? { state.withLock { $0.outage } }
}

extension OutsideAnswer {
    /// A plugin's judgement with one finding that passes, or fails with a code.
    static func judgement(
        failing code: String? = nil, assurance: Assay_Plugin_V1_Assurance = .hardware,
        _ change: (inout Assay_Plugin_V1_AppraiseResponse) -> Void = { _ in }
    ) throws -> OutsideAnswer {
        var response = Assay_Plugin_V1_AppraiseResponse.with {
            $0.findings = [
                .with {
                    $0.check = Data("mac".utf8)
                    $0.outcome = code == nil ? .pass : .fail
                    $0.code = Data((code ?? "").utf8)
                }
            ]
            $0.assurance = assurance
        }
        change(&response)
        return .answered(try response.serializedBytes())
    }
}
