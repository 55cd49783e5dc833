/// A payload that is uploaded in chunks, as the ledger has it: what its caller stated, never the bytes.
public struct Upload: Hashable, Sendable {
    public let id: UploadID
    /// The app and the caller that it belongs to. For all others it is unknown.
    public let owner: UploadOwner
    public let plan: ChunkPlan
    /// Of the whole payload, 32 bytes.
    public let payloadSHA256: [UInt8]
    public let begunAt: Timestamp
    /// From then on nothing can be done with it.
    public let expiry: Timestamp
    /// `nil`: chunks can be stated.
    public var finishedAt: Timestamp?

    public init(
        id: UploadID, owner: UploadOwner, plan: ChunkPlan, payloadSHA256: [UInt8], begunAt: Timestamp, expiry: Timestamp,
        finishedAt: Timestamp? = nil
    ) {
        (self.id, self.owner, self.plan, self.payloadSHA256) = (id, owner, plan, payloadSHA256)
        (self.begunAt, self.expiry, self.finishedAt) = (begunAt, expiry, finishedAt)
    }

    /// How long an expired upload is shown as such, in milliseconds: one hour. Then it is unknown.
    public static let rememberedFor: Int64 = 3_600_000

    public func isExpired(at now: Timestamp) -> Bool { expiry <= now }

    /// Whether it counts among the unfinished ones of its app.
    public func isOpen(at now: Timestamp) -> Bool { finishedAt == nil && !isExpired(at: now) }

    /// Whether a request to begin `other` asks for this one again.
    public func isAskedForAgain(by other: Upload) -> Bool {
        owner == other.owner && plan == other.plan && payloadSHA256 == other.payloadSHA256
    }
}

/// The name of an upload: 16 bytes that cannot be guessed.
public struct UploadID: Hashable, Sendable, CustomStringConvertible {
    public static let length = 16
    public let bytes: [UInt8]

    /// `nil` unless there are 16 bytes.
    public init?(bytes: [UInt8]) {
        guard bytes.count == Self.length else { return nil }
        self.bytes = bytes
    }

    /// A new one from the system's random number generator.
    public static func random() -> UploadID { UploadID(unchecked: SecureRandom.bytes(length)) }
    private init(unchecked bytes: [UInt8]) { self.bytes = bytes }

    public var description: String { Hex.encode(bytes) }
}

/// Whose upload it is.
public struct UploadOwner: Hashable, Sendable {
    public let app: AppID
    /// The caller's name in the configuration.
    public let caller: String

    public init(app: AppID, caller: String) { (self.app, self.caller) = (app, caller) }

    public static func == (a: Self, b: Self) -> Bool { a.app == b.app && a.caller.utf8.elementsEqual(b.caller.utf8) }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(app)
        for byte in caller.utf8 { hasher.combine(byte) }
    }
}

/// How a payload is cut: all chunks have one size, but the last, which has what remains.
public struct ChunkPlan: Hashable, Sendable {
    /// The largest payload, in bytes: 50 MiB.
    public static let sizeLimit: Int64 = 52_428_800
    /// The sizes that a chunk may have, in bytes: 64 KiB to 10 MiB.
    public static let chunkSizes: ClosedRange<Int64> = 65_536...10_485_760
    /// The most chunks: those of the largest payload in the smallest chunks.
    public static let countLimit = 800

    /// In bytes.
    public let size: Int64
    /// In bytes.
    public let chunkSize: Int64

    /// Throws `tooLarge` or `chunkSizeNotAllowed`.
    public init(size: UInt64, chunkSize: UInt64) throws(UploadRefusal) {
        guard let bytes = Int64(exactly: size), (1...Self.sizeLimit).contains(bytes) else { throw .tooLarge(size) }
        guard let chunk = Int64(exactly: chunkSize), Self.chunkSizes.contains(chunk) else {
            throw .chunkSizeNotAllowed(chunkSize)
        }
        (self.size, self.chunkSize) = (bytes, chunk)
    }

    /// The number of chunks, 1 to ``countLimit``.
    public var count: Int { Int((size + chunkSize - 1) / chunkSize) }

    /// The size of a chunk in bytes; `nil` if there is none with the index.
    public func size(ofChunk index: Int) -> Int64? {
        guard (0..<count).contains(index) else { return nil }
        return index == count - 1 ? size - Int64(index) * chunkSize : chunkSize
    }
}

/// A chunk as its caller states it.
public struct UploadChunk: Hashable, Sendable {
    /// The most of one statement.
    public static let countLimit = ChunkPlan.countLimit

    public let index: Int
    /// In bytes.
    public let size: Int64
    /// 32 bytes.
    public let sha256: [UInt8]

    public init(index: Int, size: Int64, sha256: [UInt8]) { (self.index, self.size, self.sha256) = (index, size, sha256) }
}

/// What a caller states when it has all chunks, as it computed it over the bytes.
public struct UploadStatement: Hashable, Sendable {
    public let count: Int
    /// Of the whole payload, 32 bytes.
    public let payloadSHA256: [UInt8]

    public init(count: Int, payloadSHA256: [UInt8]) { (self.count, self.payloadSHA256) = (count, payloadSHA256) }
}

/// An upload and which of its chunks were stated.
public struct UploadProgress: Hashable, Sendable {
    public var upload: Upload
    public var completed: Set<Int>

    public init(_ upload: Upload, completed: Set<Int> = []) { (self.upload, self.completed) = (upload, completed) }

    /// The indexes of the chunks that were not stated, ascending.
    public var missing: [Int] { (0..<upload.plan.count).filter { !completed.contains($0) } }
}
