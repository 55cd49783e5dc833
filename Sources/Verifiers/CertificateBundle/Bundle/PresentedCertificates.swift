import AssayCertificates
import AssayCore
import AssayEncoding

/// The certificates in a bundle's `camera_cert`: Base64 of one in DER, or of a PEM file, which may also have certificates of CAs above it.
struct PresentedCertificates {
    enum Encoding: String {
        case der
        case pem
    }

    /// Certificates in one PEM file. Fleets have one CA between device and root.
    static let limit = 4

    let encoding: Encoding
    let leaf: Certificate
    /// They may help to build the chain, and never anchor it.
    private let others: [Certificate]

    /// Throws `malformed` or `malformed_certificate`.
    ///
    /// - Parameter text: as submitted.
    init(parsing text: [UInt8]) throws(Rejection) {
        guard let bytes = Base64.standard.decode(utf8: text) else {
            throw Rejection(.malformed, "camera_cert is not Base64 with padding")
        }
        // 0x30 is the identifier of a SEQUENCE, and not the beginning of PEM.
        guard bytes.first != 0x30 else {
            (encoding, leaf, others) = (.der, try Certificate(der: bytes[...]), [])
            return
        }
        let blocks = try PEM.decode(String(decoding: bytes, as: UTF8.self), code: .malformed)
        guard blocks.count <= Self.limit else { throw Rejection(.malformed, "\(blocks.count) certificates in one bundle") }
        var certificates: [Certificate] = []
        for block in blocks { certificates.append(try Certificate(der: block[...])) }
        guard let first = certificates.first else { throw Rejection(.malformed, "no certificate") }
        (encoding, leaf, others) = (.pem, first, Array(certificates.dropFirst()))
    }

    /// The chain from the leaf upwards, by the names of issuers, up to the first certificate that an anchor issued.
    func chain(below anchors: [TrustAnchor]) -> UnverifiedChain {
        var authorities: [Certificate] = []
        var rest = others
        while true {
            let top = authorities.last ?? leaf
            guard let next = rest.firstIndex(where: { $0.subject == top.issuer }) else { break }
            // An anchor may have the name of a certificate that was sent: the signature tells which of the two is the issuer.
            guard !anchors.contains(where: { $0.issued(top) }) else { break }
            authorities.append(rest.remove(at: next))
        }
        return UnverifiedChain(leaf: leaf, authorities: authorities)
    }

    /// What names the leaf in a registry; `nil` if no anchor has the name of its issuer. Nothing is verified yet.
    func name(below anchors: [TrustAnchor]) -> CertificateName? {
        if let issuer = chain(below: anchors).authorities.first {
            return CertificateName(issuer: issuer.publicKey.sha256, serial: leaf.serial)
        }
        let named = anchors.filter { $0.subject == leaf.issuer }
        // CAs of one name are told apart by their signatures.
        let issuer = named.count > 1 ? named.first { $0.issued(leaf) } : named.first
        return issuer.map { CertificateName(issuer: $0.publicKeySHA256, serial: leaf.serial) }
    }
}

extension ValidatedChain {
    /// What names the leaf in a registry.
    var name: CertificateName {
        CertificateName(issuer: authorities.first?.publicKey.sha256 ?? anchor.publicKeySHA256, serial: leaf.serial)
    }
}
