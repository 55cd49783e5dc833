import AssayAPI
import AssayCore
import AssayResults
import SwiftProtobuf

extension ResultSigningState {
    /// As the status shows it.
    var message: Assay_V1_StatusResponse.ResultIssuer {
        .with {
            ($0.issuer, $0.simulated) = (issuer.address, issuer.kind == .simulatedDevices)
            ($0.signingKid, $0.signingEndsUnixMs) = (signing?.kid ?? "", ends?.unixMilliseconds ?? 0)
            ($0.nextKid, $0.nextSignsFromUnixMs) = (next?.kid ?? "", next?.starts?.unixMilliseconds ?? 0)
            ($0.waitingKeys, $0.pastKeys) = (UInt32(clamping: waiting), UInt32(clamping: past))
            ($0.problem, $0.nextProblem) = (problem ?? "", nextProblem ?? "")
        }
    }
}
