public import AssayCore
import AssayProtobuf
import Foundation
import SwiftProtobuf

extension ResultShape {
    /// `nil` for a shape that this version does not know.
    public init?(_ message: Assay_V1_ResultShape) {
        switch message {
        case .earJwt: self = .earJWT
        case .earCwt: self = .earCWT
        case .session: self = .session
        case .clientAttestation: self = .clientAttestation
        case .walletInstance: self = .walletInstance
        case .keyAttestation: self = .keyAttestation
        case .plainJws: self = .plainJWS
        case .plainCose: self = .plainCOSE
        case .unspecified, .UNRECOGNIZED: return nil
        }
    }

    public var message: Assay_V1_ResultShape {
        switch self {
        case .earJWT: .earJwt
        case .earCWT: .earCwt
        case .session: .session
        case .clientAttestation: .clientAttestation
        case .walletInstance: .walletInstance
        case .keyAttestation: .keyAttestation
        case .plainJWS: .plainJws
        case .plainCOSE: .plainCose
        }
    }
}

extension ResultRequest {
    /// The message that a client sends.
    public var message: Assay_V1_ResultRequest {
        .with {
            ($0.shape, $0.audience) = (shape.message, audience)
            $0.nonce = Data(nonce)
        }
    }
}

extension [SignedResult] {
    /// Adds the results to a serialised `assay.v1.Verdict`, as its field 19. They must not be in it yet.
    package func added(to verdict: [UInt8]) -> [UInt8] {
        // A token of most shapes has about a kilobyte.
        ProtobufWriter.message(after: verdict, capacity: 1200 * count) { writer in
            for result in self { writer.writeMessage(Self.field) { $0.write(result) } }
        }
    }

    /// Of `Verdict` in `proto/assay/v1/verdict.proto`.
    private static var field: Int { 19 }
}

extension ProtobufWriter {
    /// The field numbers are those of `proto/assay/v1/results.proto`.
    fileprivate mutating func write(_ result: SignedResult) {
        write(1, Int64(result.shape.message.rawValue))
        write(2, result.audience)
        switch result.outcome {
        case .signed(let token, let identifier, let expiresAt):
            writeAlways(result.shape.isBinary ? 4 : 3, token)
            write(6, identifier)
            write(7, expiresAt.unixMilliseconds)
        case .refused(let problem):
            writeMessage(5) {
                $0.write(1, problem.rawValue)
                $0.write(2, problem.sentence)
            }
        }
    }
}
