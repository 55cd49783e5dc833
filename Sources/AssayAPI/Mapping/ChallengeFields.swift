package import AssayCore
import AssayProtobuf

/// A request for a challenge, read directly from `assay.v1.IssueChallengeRequest`, as `VerificationRequest` is from its message: challenges are
/// asked for as often as verdicts. The field numbers are those of `proto/assay/v1/attestation.proto`.
package struct ChallengeFields: Hashable, Sendable {
    package let app: AppID
    package let purpose: Purpose
    package let context: [UInt8]
    /// In milliseconds, at most `ChallengeRule.longest`; 0: the app's own.
    package let timeToLive: Int64
    package let address: SourceAddress?

    /// Throws `RequestError` with the first field that breaks a rule of the API; `nil` if the bytes are not a message.
    package init?(serialized bytes: [UInt8]) throws(RequestError) {
        var fields = ChallengeMessage()
        guard try fields.read(serialized: bytes) else { return nil }
        app = try AppID(field: fields.app)
        purpose = try Purpose(Assay_V1_Purpose(rawValue: Int(Int32(truncatingIfNeeded: fields.purpose))) ?? .unspecified)
        context = try bytes[fields.context].bounded("context", by: Challenge.contextLimit)
        address = try SourceAddress?(field: fields.sourceAddress.utf8)
        timeToLive = Int64(UInt32(truncatingIfNeeded: fields.timeToLive))
        guard timeToLive <= ChallengeRule.longest else {
            throw RequestError(
                "ttl_ms", "must be at most \(ChallengeRule.longest), which is \(DurationText.exact(ChallengeRule.longest))")
        }
    }
}

/// The fields as they are in the message, not yet checked.
private struct ChallengeMessage: RequestMessage {
    var app = ""
    var purpose: UInt64 = 0
    var context = 0..<0
    var timeToLive: UInt64 = 0
    var sourceAddress = ""

    mutating func readFields(_ bytes: UnsafeRawBufferPointer) throws(RequestReadingError) {
        var reader = RequestReader(bytes)
        while let field = try reader.next() {
            switch field {
            case .bytes(1, let value): app = try Self.text(bytes, value)
            case .varint(2, let value): purpose = value
            case .bytes(3, let value): context = value
            case .varint(4, let value): timeToLive = value
            case .bytes(5, let value): sourceAddress = try Self.text(bytes, value)
            default:
                // A field of a later version is skipped; a known field of another wire type makes the message malformed.
                guard !(1...5).contains(field.number) else { throw .malformed }
            }
        }
    }

    /// proto3 strings are UTF-8.
    private static func text(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) throws(RequestReadingError) -> String {
        guard let text = bytes.text(range) else { throw .malformed }
        return text
    }
}
