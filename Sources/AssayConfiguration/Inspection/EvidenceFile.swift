package import AssayCore
import Foundation

/// A file with one piece of evidence, as devices and command-line tools write it.
package enum EvidenceFile {
    /// The evidence in a file's bytes: a file that contains only text in a form of `ByteText` is decoded, since evidence is CBOR or DER, which
    /// never looks like that. The white space around a token is removed.
    package static func bytes(of file: [UInt8]) -> [UInt8] {
        let text = String(decoding: file, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        // A token, or the beginning of one: no CBOR or DER in Base64 begins like that.
        if text.hasPrefix("eyJ") { return Array(text.utf8) }
        // PEM is text too, and its content would be read as Base64.
        guard !text.hasPrefix("-----"), text.utf8.allSatisfy({ $0 < 0x80 }) else { return file }
        // `base64` breaks its lines at this length.
        return ByteText.decode(text.filter { !$0.isWhitespace }) ?? file
    }

    /// The formats of which a file can hold evidence.
    package static let formats = Set(EvidenceKind.all.filter { $0.message != nil }.map(\.format))

    /// The names of the algorithms of signatures by registered keys.
    package static let algorithms = KeySignatureAlgorithm.allCases.map(\.name)

    /// Evidence of a format that a file holds by itself. Throws a rejection for a chain of certificates that cannot be read.
    ///
    /// - Parameters:
    ///   - keyID: of the formats that name a key; empty for the others.
    ///   - algorithm: the name of the algorithm of a signature by a registered key; `nil`: ECDSA over P-256 with SHA-256.
    package static func evidence(
        _ format: EvidenceFormat, _ file: [UInt8], keyID: [UInt8] = [], algorithm: String? = nil
    ) throws(Rejection) -> Evidence {
        switch EvidenceKind.of(format)?.message?.layout {
        case .certificates: return Evidence(format: format, keyID: keyID, body: Evidence.join(try CertificateFile.read(file)))
        case .signature:
            let chosen = KeySignatureAlgorithm.allCases.first { $0.name == algorithm } ?? .ecdsaP256SHA256
            return Evidence(format: format, keyID: keyID, body: Evidence.join([[chosen.rawValue], bytes(of: file)]))
        case .bundle: return CertificateBundle.json(file).evidence
        // The parts of a capture, joined.
        case .offline: return Evidence(format: format, keyID: keyID, body: bytes(of: file))
        case .text:
            let token = String(decoding: file, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
            return Evidence(format: format, keyID: keyID, body: Array(token.utf8))
        case .keyAndBytes, .bytes, nil: return Evidence(format: format, keyID: keyID, body: bytes(of: file))
        }
    }
}
