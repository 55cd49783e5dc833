import AssayCertificates
package import AssayCore
import AssayEncoding
import AssaySchemes

/// Certificates in PEM or DER.
struct CertificateInspector: EvidenceInspector {
    let kind = InspectedKind.certificates
    let recognition = InspectedKind.Recognition.beginning { $0.starts(with: "-----BEGIN".utf8) || $0.first == 0x30 }

    func judge(_ input: InspectionInput, for subject: InspectionSubject) -> InspectionResult {
        InspectionResult(
            [], remarks: ["Certificates alone are explained and not judged: what they may do depends on the evidence."])
    }

    func meaning(of check: String) -> String? { nil }

    func explain(_ bytes: [UInt8], for subject: InspectionSubject) -> Explanation {
        guard bytes.starts(with: "-----BEGIN".utf8) else { return Certificate.explain(bytes[...]) }
        var list = Explanation("certificates in PEM", of: bytes[...])
        list.read { (list) throws(Rejection) in
            let blocks = try PEM.decode(String(decoding: bytes, as: UTF8.self))
            list.add("certificates", .integer(Int64(blocks.count)))
            for (index, block) in blocks.enumerated() {
                list.add(Certificate.explain(block[...], title: "certificate \(index)"))
            }
            for (index, (below, above)) in zip(blocks, blocks.dropFirst()).enumerated() {
                let link = try Self.link(Certificate(der: below[...]), Certificate(der: above[...]))
                list.add("certificate \(index)", .text(link), "by its name and its signature")
            }
        }
        return list
    }

    private static func link(_ subject: Certificate, _ issuer: Certificate) -> String {
        guard subject.issuer == issuer.subject else { return "names another issuer than the next certificate" }
        do throws(Rejection) {
            try PublicKey(issuer.publicKey).verify(
                subject.signature, by: subject.signatureAlgorithm, over: subject.signedPart)
            return "is issued by the next certificate"
        } catch {
            return "names the next certificate as its issuer, but \(error.detail)"
        }
    }
}

/// A file of certificates: PEM blocks or DER certificates, one after the other.
package enum CertificateFile {
    /// The DER of each certificate, in order, not parsed.
    package static func read(_ bytes: [UInt8]) throws(Rejection) -> [[UInt8]] {
        if bytes.starts(with: "-----BEGIN".utf8) { return try PEM.decode(String(decoding: bytes, as: UTF8.self)) }
        var reader = DERReader(bytes[...], code: .malformedCertificate)
        var certificates: [[UInt8]] = []
        while !reader.isAtEnd {
            guard certificates.count < PEM.blockLimit else {
                throw reader.rejection("more than \(PEM.blockLimit) certificates")
            }
            certificates.append(Array(try reader.element(.sequence).encoded))
        }
        return certificates
    }
}
