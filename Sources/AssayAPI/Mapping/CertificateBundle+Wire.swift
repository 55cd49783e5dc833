import AssayCore
import AssayProtobuf
import Foundation
import SwiftProtobuf

/// Reads `assay.v1.CertificateBundle`. A bundle has one form, once, and neither it nor the form has another field: it could be a part of
/// what the camera signed in a later version.
extension CertificateBundle {
    static func read(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) throws(RequestReadingError) -> CertificateBundle {
        var reader = RequestReader(bytes, range)
        guard let field = try reader.next() else { throw .rule(.bundleOfNoForm) }
        let bundle: CertificateBundle
        switch field {
        case .bytes(1, let value): bundle = .json(Array(bytes[value]))
        case .bytes(2, let value): bundle = .fields(try fields(bytes, value))
        case .bytes(3, let value): bundle = .digest(try digest(bytes, value))
        default: throw .rule(.bundleOfNoForm)
        }
        guard try reader.next() == nil else { throw .rule(.bundleOfNoForm) }
        return bundle
    }

    private static func fields(
        _ bytes: UnsafeRawBufferPointer, _ range: Range<Int>
    ) throws(RequestReadingError) -> Fields {
        var reader = RequestReader(bytes, range)
        var fields = Fields(imageHash: [], certificate: [], timestamp: 0, signature: [])
        while let field = try reader.next() {
            switch field {
            case .bytes(1, let value): fields.imageHash = Array(bytes[value])
            case .bytes(2, let value): fields.certificate = Array(bytes[value])
            case .varint(3, let value): fields.timestamp = Int64(bitPattern: value)
            case .bytes(4, let value): fields.locationHash = Array(bytes[value])
            case .bytes(5, let value): fields.signature = Array(bytes[value])
            default: throw .rule(.unknownMember)
            }
        }
        return fields
    }

    private static func digest(
        _ bytes: UnsafeRawBufferPointer, _ range: Range<Int>
    ) throws(RequestReadingError) -> Digest {
        var reader = RequestReader(bytes, range)
        var digest = Digest(signedSHA256: [], certificate: [], signature: [])
        while let field = try reader.next() {
            switch field {
            case .bytes(1, let value): digest.signedSHA256 = Array(bytes[value])
            case .bytes(2, let value): digest.certificate = Array(bytes[value])
            case .bytes(3, let value): digest.signature = Array(bytes[value])
            default: throw .rule(.unknownMember)
            }
        }
        return digest
    }

    /// The message that a client sends.
    var message: Assay_V1_CertificateBundle {
        .with {
            switch self {
            case .json(let json): $0.json = Data(json)
            case .fields(let fields):
                $0.fields = .with {
                    $0.imageHash = Data(fields.imageHash)
                    $0.cameraCert = String(decoding: fields.certificate, as: UTF8.self)
                    $0.timestamp = fields.timestamp
                    $0.gpsHash = Data(fields.locationHash)
                    $0.bundleSignature = Data(fields.signature)
                }
            case .digest(let digest):
                $0.digest = .with {
                    $0.signedSha256 = Data(digest.signedSHA256)
                    $0.cameraCert = String(decoding: digest.certificate, as: UTF8.self)
                    $0.bundleSignature = Data(digest.signature)
                }
            }
        }
    }
}

extension RequestError {
    fileprivate static let bundleOfNoForm = RequestError(
        "evidence.certificate_bundle", "must hold one form that this version knows, once, and nothing else")
    fileprivate static let unknownMember = RequestError(
        "evidence.certificate_bundle", "must hold no member that this version does not know")
}
