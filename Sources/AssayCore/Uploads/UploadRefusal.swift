/// Why nothing came of a call about an upload. Nothing was changed.
public enum UploadRefusal: Error, Hashable, Sendable {
    /// The app's configuration has no section `uploads`.
    case notConfigured(AppID)
    /// There is no such upload of the caller in the app.
    case unknown
    case expired(at: Timestamp)
    /// Chunks were not stated. Their indexes, ascending.
    case incomplete(missing: [Int], count: Int)
    /// All chunks were stated, and the upload is not finished.
    case unfinished
    case countMismatch(stated: Int, expected: Int)
    /// The payload is another one than was begun.
    case hashMismatch(stated: [UInt8], begun: [UInt8])
    /// The payload has no size that is allowed, in bytes.
    case tooLarge(UInt64)
    /// In bytes.
    case chunkSizeNotAllowed(UInt64)
    case outOfRange(index: Int, count: Int)
    case wrongSize(index: Int, stated: Int64, expected: Int64)
    /// A chunk was stated before with another hash.
    case tampered(index: Int, kept: [UInt8], stated: [UInt8])
    /// The app has as many unfinished uploads as it may.
    case tooManyOpen(limit: Int, app: AppID)
    /// Another upload was begun under the idempotency key.
    case keyReused

    /// The stable words, by which callers tell refusals apart. They are never renamed. `docs/reference/uploads.md` has them.
    public enum Code: String, CaseIterable, Hashable, Sendable {
        case uploadsNotConfigured = "uploads_not_configured"
        case uploadUnknown = "upload_unknown"
        case uploadExpired = "upload_expired"
        case uploadIncomplete = "upload_incomplete"
        case uploadCountMismatch = "upload_count_mismatch"
        case uploadHashMismatch = "upload_hash_mismatch"
        case uploadTooLarge = "upload_too_large"
        case chunkSizeNotAllowed = "chunk_size_not_allowed"
        case chunkOutOfRange = "chunk_out_of_range"
        case chunkSizeMismatch = "chunk_size_mismatch"
        case tamperDetected = "tamper_detected"
        case tooManyOpenUploads = "too_many_open_uploads"
        case idempotencyKeyReused = "idempotency_key_reused"
    }

    public var code: Code {
        switch self {
        case .notConfigured: .uploadsNotConfigured
        case .unknown: .uploadUnknown
        case .expired: .uploadExpired
        case .incomplete, .unfinished: .uploadIncomplete
        case .countMismatch: .uploadCountMismatch
        case .hashMismatch: .uploadHashMismatch
        case .tooLarge: .uploadTooLarge
        case .chunkSizeNotAllowed: .chunkSizeNotAllowed
        case .outOfRange: .chunkOutOfRange
        case .wrongSize: .chunkSizeMismatch
        case .tampered: .tamperDetected
        case .tooManyOpen: .tooManyOpenUploads
        case .keyReused: .idempotencyKeyReused
        }
    }
}

extension UploadRefusal.Code {
    /// What the code means, as `docs/reference/uploads.md` says it.
    public var summary: String {
        switch self {
        case .uploadsNotConfigured: "The app's configuration has no section `uploads`."
        case .uploadUnknown:
            "The caller has no such upload in the app: it never began, was aborted, or expired more than an hour ago."
        case .uploadExpired: "The upload has expired, finished or not."
        case .uploadIncomplete:
            "Chunks were not stated, or the upload is used in a verdict before it is finished. The sentence names what is missing."
        case .uploadCountMismatch: "The number of chunks at the end is not the upload's."
        case .uploadHashMismatch: "The payload's SHA-256 at the end is not the one that began the upload."
        case .uploadTooLarge: "The payload is empty, or larger than 50 MiB."
        case .chunkSizeNotAllowed: "The chunk size is below 64 KiB or above 10 MiB."
        case .chunkOutOfRange: "The upload has no chunk with the index."
        case .chunkSizeMismatch: "The chunk does not have the chunk size; the last one does not have what remains."
        case .tamperDetected: "The chunk was stated before with another SHA-256. The first one stays."
        case .tooManyOpenUploads: "The app has as many unfinished uploads as its configuration allows."
        case .idempotencyKeyReused: "The idempotency key began another upload, of another size or hash."
        }
    }

    /// What the caller may do next.
    public var retry: RetryClass {
        switch self {
        case .uploadIncomplete, .tooManyOpenUploads: .later
        case .uploadsNotConfigured: .contactOperator
        case .uploadUnknown, .uploadExpired, .uploadCountMismatch, .uploadHashMismatch, .uploadTooLarge, .chunkSizeNotAllowed,
            .chunkOutOfRange, .chunkSizeMismatch, .tamperDetected, .idempotencyKeyReused:
            .never
        }
    }

    /// The table of `docs/reference/uploads.md`, one row per code.
    public static var markdownTable: String {
        let rows = allCases.map { "| `\($0.rawValue)` | \($0.summary) | `\($0.retry.rawValue)` |" }
        return (["| code | meaning | retry |", "|---|---|---|"] + rows).joined(separator: "\n") + "\n"
    }
}

extension UploadRefusal: CustomStringConvertible {
    /// A sentence for people.
    public var description: String {
        switch self {
        case .notConfigured(let app): "the app \(app) has no section \"uploads\": it takes no uploads"
        case .unknown: "the caller has no such upload in the app"
        case .expired(let time): "the upload expired at \(time): begin another one"
        case .incomplete(let missing, let count):
            "\(missing.count) of \(count) chunks \(missing.count == 1 ? "is" : "are") missing: \(Self.ranges(of: missing))"
        case .unfinished: "the upload is not finished: all its chunks were stated; finalize it"
        case .countMismatch(let stated, let expected): "\(stated) chunks are stated, and the upload has \(expected)"
        case .hashMismatch(let stated, let begun):
            "the payload's SHA-256 is \(Hex.encode(stated)), and the upload was begun with \(Hex.encode(begun))"
        case .tooLarge(let size): "the payload has \(size) bytes; an upload has 1 to \(ChunkPlan.sizeLimit)"
        case .chunkSizeNotAllowed(let size):
            "chunks have \(size) bytes; \(ChunkPlan.chunkSizes.lowerBound) to \(ChunkPlan.chunkSizes.upperBound) are allowed"
        case .outOfRange(let index, let count): "there is no chunk \(index): the upload has chunks 0 to \(count - 1)"
        case .wrongSize(let index, let stated, let expected): "chunk \(index) has \(stated) bytes in place of \(expected)"
        case .tampered(let index, let kept, let stated):
            "chunk \(index) has the SHA-256 \(Hex.encode(stated)), and was stated before with \(Hex.encode(kept))"
        case .tooManyOpen(let limit, let app): "the app \(app) has \(limit) unfinished uploads, as many as it may"
        case .keyReused: "the idempotency key began an upload of another size, chunk size or hash"
        }
    }

    /// The most ranges of indexes in a sentence.
    private static let rangeLimit = 20

    /// Ascending indexes as ranges, such as `0, 3-7`.
    private static func ranges(of indexes: [Int]) -> String {
        var ranges: [ClosedRange<Int>] = []
        for index in indexes {
            if let last = ranges.last, last.upperBound + 1 == index {
                ranges[ranges.count - 1] = last.lowerBound...index
            } else {
                ranges.append(index...index)
            }
        }
        let shown = ranges.prefix(rangeLimit).map { $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound)-\($0.upperBound)" }
        return shown.joined(separator: ", ") + (ranges.count > rangeLimit ? " and more" : "")
    }
}
