import AssayCertificates
import AssayCore

/// The certificates of evidence, read before its appraisal to find the attestation key. What is read is the same for every verifier.
final class ChainReading: EvidenceReading {
    let chain: Result<UnverifiedChain, Rejection>

    init(_ parts: [ArraySlice<UInt8>], links: LinkCache?) {
        chain = Result { () throws(Rejection) in
            try UnverifiedChain(parsing: parts, profile: KeyAttestationVerifier.chainProfile, links: links)
        }
    }
}
