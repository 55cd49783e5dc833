/// The socket to the daemon: frames in bounded buffers.
final class Connection {
    static let frameLimit = 1 << 20
    private static let prefix = 4
    /// One frame of the largest size, and space beside it for many small ones.
    private static let capacity = prefix + frameLimit + (256 << 10)
    /// How long answers wait for others, so that many calls share one write.
    private static let unsentMicroseconds: Int64 = 1000

    /// Why the connection cannot go on, as a sentence.
    struct Fault: Error {
        let sentence: String
    }

    private let descriptor: Int32
    private var input = [UInt8](repeating: 0, count: capacity)
    private var start = 0
    private var end = 0
    private var output: [UInt8] = []
    private var unsentSince: Int64 = 0
    /// When the bytes came that were read last.
    private(set) var readAt: Int64 = 0

    init(descriptor: Int32) { self.descriptor = descriptor }

    // MARK: Reading

    enum Taken {
        case frame(Frame)
        case end
        /// Nothing came until the time that was asked for.
        case nothingYet
    }

    /// The next frame. With a deadline, in microseconds of the monotonic clock, it waits no longer.
    func take(until deadline: Int64? = nil) throws(Fault) -> Taken {
        while true {
            if let range = try wholeFrame() {
                defer { start = range.upperBound }
                do throws(WireReader.Undecodable) {
                    return .frame(try Frame(input, range))
                } catch {
                    throw Fault(sentence: "the daemon sent a frame that cannot be decoded")
                }
            }
            try flush()
            if let deadline, !System.waits(descriptor, microseconds: deadline - System.microseconds()) { return .nothingYet }
            guard try readMore() else { return .end }
        }
    }

    /// Where the next frame stands, if it is whole. A wrong length is judged as soon as its four bytes are there.
    private func wholeFrame() throws(Fault) -> Range<Int>? {
        guard end - start >= Self.prefix else { return nil }
        let length = input[start..<start + Self.prefix].reduce(0) { $0 << 8 | Int($1) }
        guard length > 0 else { throw Fault(sentence: "the daemon sent a frame of length 0") }
        guard length <= Self.frameLimit else {
            throw Fault(sentence: "the daemon sent a frame of \(length) bytes, above the limit of 1 MiB")
        }
        let first = start + Self.prefix
        return end - first >= length ? first..<first + length : nil
    }

    /// False at the end.
    private func readMore() throws(Fault) -> Bool {
        compact()
        let count: Int
        do throws(System.Failure) {
            count = try System.read(descriptor, into: &input, from: end)
        } catch {
            throw Fault(sentence: error.sentence)
        }
        guard count > 0 else {
            guard start == end else { throw Fault(sentence: "the connection ended within a frame") }
            return false
        }
        end += count
        readAt = System.microseconds()
        return true
    }

    /// Moves what is left to the front, if the rest of a frame would not fit behind it.
    private func compact() {
        if start == end {
            (start, end) = (0, 0)
        } else if Self.capacity - start < Self.prefix + Self.frameLimit {
            input.replaceSubrange(0..<end - start, with: Array(input[start..<end]))
            (start, end) = (0, end - start)
        }
    }

    // MARK: Writing

    /// Puts a frame behind what waits to be sent.
    func put(_ frame: [UInt8]) throws(Fault) {
        if output.isEmpty { unsentSince = System.microseconds() }
        let size = UInt32(truncatingIfNeeded: frame.count)
        output += [UInt8(size >> 24), UInt8(size >> 16 & 0xff), UInt8(size >> 8 & 0xff), UInt8(size & 0xff)]
        output += frame
        if output.count >= 256 << 10 { try flush() }
    }

    func flush() throws(Fault) {
        guard !output.isEmpty else { return }
        do throws(System.Failure) {
            try System.writeAll(descriptor, output)
        } catch {
            throw Fault(sentence: error.sentence)
        }
        output.removeAll(keepingCapacity: true)
    }

    /// Sends what has waited for a millisecond, or waits since a call that began so long ago.
    func flushOld(than began: Int64) throws(Fault) {
        guard !output.isEmpty else { return }
        if System.microseconds() - min(began, unsentSince) >= Self.unsentMicroseconds { try flush() }
    }
}
