import AssayCore
import AssayProtobuf

/// Reads `assay.v1.ResultRequest` directly into the type of AssayCore. The field numbers are those of `proto/assay/v1/results.proto`.
extension ResultRequest {
    /// Throws the rule that the request at a place of the list breaks. An unknown field is refused: it could narrow what is signed.
    static func read(
        _ bytes: UnsafeRawBufferPointer, _ range: Range<Int>, at place: Int
    ) throws(RequestReadingError) -> ResultRequest {
        var reader = RequestReader(bytes, range)
        var shape: UInt64 = 0
        var audience = 0..<0
        var nonce = 0..<0
        while let field = try reader.next() {
            switch field {
            case .varint(1, let value): shape = value
            case .bytes(2, let value): audience = value
            case .bytes(3, let value): nonce = value
            default:
                guard !(1...3).contains(field.number) else { throw .malformed }
                throw .rule(RequestError("results[\(place)]", "must hold nothing that this version does not know"))
            }
        }
        do throws(RequestError) {
            return try ResultRequest(shape, audience: bytes[audience], nonce: bytes[nonce], at: place)
        } catch {
            throw .rule(error)
        }
    }

    /// - Parameters:
    ///   - shape: the number of the enumeration.
    ///   - place: in the list of requests.
    init(
        _ shape: UInt64, audience: some Collection<UInt8>, nonce: some Collection<UInt8>, at place: Int
    ) throws(RequestError) {
        let message = Assay_V1_ResultShape(rawValue: Int(truncatingIfNeeded: shape)) ?? .unspecified
        guard let shape = ResultShape(message) else {
            throw RequestError("results[\(place)].shape", "must be a shape that this version knows")
        }
        guard (1...Self.audienceLimit).contains(audience.count) else {
            throw RequestError(
                "results[\(place)].audience", "must have 1 to \(Self.audienceLimit) bytes, not \(audience.count)")
        }
        guard let text = String(validating: audience, as: UTF8.self) else {
            throw RequestError("results[\(place)].audience", "must be UTF-8")
        }
        guard nonce.isEmpty || Self.nonceSizes.contains(nonce.count) else {
            throw RequestError(
                "results[\(place)].nonce",
                "must have \(Self.nonceSizes.lowerBound) to \(Self.nonceSizes.upperBound) bytes or none, not \(nonce.count)")
        }
        self.init(shape: shape, audience: text, nonce: Array(nonce))
    }

    /// Checks what a list of requests says together.
    static func check(_ requests: [ResultRequest]) throws(RequestError) {
        for (place, request) in requests.enumerated() {
            let isRepeated = requests[..<place].contains { $0.shape == request.shape && $0.audience == request.audience }
            guard !isRepeated else {
                throw RequestError("results[\(place)]", "must not ask for a shape for the same audience again")
            }
        }
    }
}
