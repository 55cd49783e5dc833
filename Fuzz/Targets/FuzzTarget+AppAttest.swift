import AppAttest
import AssayCertificates
import AssayConfiguration
import AssayCore
import AssaySchemes

extension FuzzTarget {
    static func appAttest(_ bytes: [UInt8]) {
        _ = AppAttestExplanation.attestation(bytes[...])
        _ = AppAttestExplanation.assertion(bytes[...])
        var input = InspectionInput(bytes: bytes, now: now)
        input.clientDataHash = [UInt8](repeating: 7, count: 32)
        _ = Inspection(input)
        // The authenticator data alone, so that the fuzzer need not find a path to it through CBOR.
        AppAttestExplanation.readAuthenticatorData(bytes[...])
    }
}
