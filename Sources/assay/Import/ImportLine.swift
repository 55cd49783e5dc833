import AssayAPI
import AssayCore
import Crypto
import Foundation

/// One device of an import file.
struct ImportLine {
    let number: Int
    let message: Assay_V1_ImportedDevice

    init(_ line: ImportFile.Line) throws(ImportError) {
        guard let text = line.text else {
            throw ImportError("not UTF-8, or longer than \(ImportFile.lineLimit) bytes")
        }
        let fields: Fields
        do {
            fields = try JSONDecoder().decode(Fields.self, from: Data(text.utf8))
        } catch let problem as ImportError {
            throw problem
        } catch let DecodingError.keyNotFound(key, _) {
            throw ImportError("\"\(key.stringValue)\" is missing")
        } catch let DecodingError.typeMismatch(_, context) where !context.codingPath.isEmpty {
            throw ImportError("\"\(context.codingPath.map(\.stringValue).joined())\" is of another type")
        } catch let DecodingError.valueNotFound(_, context) where !context.codingPath.isEmpty {
            throw ImportError("\"\(context.codingPath.map(\.stringValue).joined())\" is null")
        } catch {
            throw ImportError("not a JSON object of a device")
        }
        guard let publicKey = Self.point(fields.publicKey) else {
            throw ImportError("\"public_key\" is not a P-256 key in PEM, \(ByteText.forms)")
        }
        let keyID = fields.keyID.map { ByteText.decode($0, count: 32) } ?? []
        guard let keyID else { throw ImportError("\"key_id\" is not 32 bytes in \(ByteText.forms)") }
        let subject = Array((fields.subject ?? "").utf8)
        number = line.number
        message = ImportedDevice(
            format: .appAttestAttestation, publicKey: publicKey, keyID: keyID, platformApp: fields.appID,
            environment: fields.environment, counter: fields.counter
        ).message(subject: subject)
        // A request that the daemon refuses would fail for the other devices in it too.
        do throws(RequestError) {
            _ = try ImportedDevice(message)
            _ = try subject.bounded("subject", by: VerificationRequest.subjectLimit)
        } catch {
            throw ImportError(error.description)
        }
    }

    /// The uncompressed point of a key.
    private static func point(_ text: String) -> [UInt8]? {
        if text.hasPrefix("-----BEGIN") {
            return (try? P256.Signing.PublicKey(pemRepresentation: text)).map { Array($0.x963Representation) }
        }
        guard let bytes = ByteText.decode(text, count: 65) ?? ByteText.decode(text) else { return nil }
        let key =
            (try? P256.Signing.PublicKey(x963Representation: bytes)) ?? (try? P256.Signing.PublicKey(derRepresentation: bytes))
        return key.map { Array($0.x963Representation) }
    }
}

/// Why a line cannot be read.
struct ImportError: Error {
    let text: String
    init(_ text: String) { self.text = text }
}

/// The members of a line. An unknown member is refused: it may be misspelt.
private struct Fields: Decodable {
    let publicKey: String
    let appID: String
    let environment: String
    let counter: UInt32
    let keyID: String?
    let subject: String?

    enum CodingKeys: String, CodingKey, CaseIterable {
        case publicKey = "public_key"
        case appID = "app_id"
        case environment, counter
        case keyID = "key_id"
        case subject
    }

    private struct AnyKey: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    init(from decoder: any Decoder) throws {
        for key in try decoder.container(keyedBy: AnyKey.self).allKeys where CodingKeys(rawValue: key.stringValue) == nil {
            throw ImportError("unknown member \"\(key.stringValue.prefix(40).printable)\"")
        }
        let members = try decoder.container(keyedBy: CodingKeys.self)
        publicKey = try members.decode(String.self, forKey: .publicKey)
        appID = try members.decode(String.self, forKey: .appID)
        environment = try members.decode(String.self, forKey: .environment)
        counter = try members.decode(UInt32.self, forKey: .counter)
        keyID = try members.decodeIfPresent(String.self, forKey: .keyID)
        subject = try members.decodeIfPresent(String.self, forKey: .subject)
    }
}
