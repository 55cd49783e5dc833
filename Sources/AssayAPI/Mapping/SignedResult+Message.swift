package import AssayCore
import Foundation
import SwiftProtobuf

extension SignedResult {
    package var message: Assay_V1_SignedResult {
        .with {
            ($0.shape, $0.audience) = (shape.message, audience)
            switch outcome {
            case .signed(let token, let identifier, let expiresAt):
                if shape.isBinary { $0.binary = Data(token) } else { $0.text = String(decoding: token, as: UTF8.self) }
                ($0.id, $0.expiresAtUnixMs) = (Data(identifier), expiresAt.unixMilliseconds)
            case .refused(let problem): ($0.problem.code, $0.problem.sentence) = (problem.rawValue, problem.sentence)
            }
        }
    }
}
