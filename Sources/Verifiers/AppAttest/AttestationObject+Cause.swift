import AssayCertificates
import AssayCore

extension AttestationObject {
    /// Why the certified nonce is not the expected one, as far as the evidence tells, for the end of a sentence: the app's slip, and the hash
    /// that the app passed by the receipt inside the object, which Apple wrote. The receipt's signature is not verified here.
    func cause(ofNonce nonce: ArraySlice<UInt8>, under binding: Binding) -> String {
        func isCertified(_ hash: [UInt8]) -> Bool {
            AttestedNonce(authenticatorData: authenticatorData, clientDataHash: hash).equals(nonce)
        }
        let slip = binding.slipsOfHash.explanation(where: isCertified)
        guard let passed = passedHash else { return slip }
        guard passed != binding.clientDataHash else {
            return slip + "; by its receipt the app passed the expected hash: the authenticator data is another one"
        }
        let hash = ComparedBytes(passed, expected: binding.clientDataHash).found
        guard isCertified(passed) else { return slip + "; its receipt, for the hash \(hash), is of another attestation" }
        return slip + "; by its receipt the app passed \(passed.count == 32 ? "the hash" : "\(passed.count) bytes,") \(hash)"
    }

    /// Field 4 of the receipt; `nil` if it cannot be read.
    private var passedHash: [UInt8]? {
        guard let message = try? SignedData(parsing: receipt), let receipt = try? Receipt(payload: message.content) else {
            return nil
        }
        return receipt.clientHash.map { Array($0) }
    }
}
