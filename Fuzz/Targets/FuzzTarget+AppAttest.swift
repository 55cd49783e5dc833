import AppAttest
import AssayCertificates
import AssayCore
import AssayHost

extension FuzzTarget {
    static func appAttest(_ bytes: [UInt8]) {
        _ = AppAttestExplanation.attestation(bytes[...])
        _ = AppAttestExplanation.assertion(bytes[...])
        var input = InspectionInput(bytes: bytes, now: now)
        input.clientDataHash = [UInt8](repeating: 7, count: 32)
        _ = Inspection(input)
        // The authenticator data alone, so that a fuzzer needs not find the way to them through CBOR.
        AppAttestExplanation.readAuthenticatorData(bytes[...])
    }
}
