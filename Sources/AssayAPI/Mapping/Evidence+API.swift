public import AssayCore
import AssayProtobuf
import Foundation
import SwiftProtobuf

extension Evidence {
    /// The message that a client sends. `nil` for a format without a message in the API, and for a body that its message cannot hold.
    public var message: Assay_V1_Evidence? {
        guard let kind = EvidenceKind.of(format) else {
            guard EvidenceFormat(pluginFormat: format.rawValue.utf8) != nil else { return nil }
            return .with { $0.pluginEvidence = .with { ($0.format, $0.body) = (format.rawValue, Data(body)) } }
        }
        guard let place = kind.message, let content = content(place.layout) else { return nil }
        var writer = ProtobufWriter(capacity: content.count + 16)
        // Empty content too: it shows which kind it is.
        writer.writeAlways(place.field, content)
        // What `EvidenceKind` says of a message is held against the .proto files by a test: the generated code reads it.
        return try? Assay_V1_Evidence(serializedBytes: writer.finish())
    }

    /// The content of a kind's message, serialised. `nil` for a body of other parts than the layout has.
    private func content(_ layout: EvidenceKind.Layout) -> [UInt8]? {
        var writer = ProtobufWriter(capacity: keyID.count + size + 32)
        switch layout {
        case .keyAndBytes:
            writer.write(1, keyID)
            writer.write(2, body)
        case .bytes: writer.write(1, body)
        // A text of other bytes than UTF-8 could not be sent.
        case .text: writer.write(1, String(decoding: body, as: UTF8.self))
        case .certificates:
            guard let parts else { return nil }
            for part in parts { writer.writeAlways(1, Array(part)) }
        case .signature:
            guard let parts, parts.count == 2, let algorithm = parts.first?.first, let signature = parts.last else {
                return nil
            }
            writer.write(1, keyID)
            writer.write(2, Int64(algorithm))
            writer.write(3, Array(signature))
        case .offline:
            guard let parts = parts.flatMap(OfflineCapture.Parts.init) else { return nil }
            writer.write(1, keyID)
            writer.write(2, Int64(parts.algorithm))
            writer.write(3, Array(parts.signature))
            writer.write(4, parts.capture.capturedAt.unixMilliseconds)
            writer.write(5, parts.capture.payloadHash)
        case .bundle:
            guard let bundle = parts.flatMap({ CertificateBundle(parts: $0) }) else { return nil }
            return try? bundle.message.serializedBytes()
        }
        return writer.finish()
    }
}
