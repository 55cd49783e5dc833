import AssayCore
import Foundation
import Synchronization

/// Requests to a webhook that could not be delivered: one JSON object a line, mode 0600, bounded by size. When it is full the oldest are
/// dropped.
package final class DeadLetterFile: Sendable {
    package struct Letter: Hashable, Sendable {
        package let delivery: WebhookDelivery
        /// Why it was not delivered, in words without a part of the request.
        package let reason: String
    }

    package struct Report: Hashable, Sendable {
        package var letters = 0
        /// Events of letters that were dropped, or never written.
        package var droppedEvents: UInt64 = 0
        /// Why the file cannot be used.
        package var problem: String?
    }

    package let path: String
    private let limit: Int
    private let state: Mutex<Report>

    /// - Parameter limit: in bytes.
    package init(_ path: String, limit: Int) {
        (self.path, self.limit) = (path, limit)
        var report = Report()
        do throws(DeadLetterError) { report.letters = try Self.read(path, limit: limit).count } catch {
            report.problem = error.description
        }
        state = Mutex(report)
    }

    package var report: Report { state.withLock { $0 } }

    /// Appends a letter, durably. A letter that cannot be kept is counted. Only a full file is read.
    package func append(_ letter: Letter) {
        state.withLock { report in
            do throws(DeadLetterError) {
                if report.problem != nil { report.letters = try Self.read(path, limit: limit).count }
                if let size = try Self.add(letter, to: path, limit: limit) {
                    report.letters = size == 0 ? 1 : report.letters + 1
                } else {
                    let (kept, dropped) = Self.fitting(try Self.read(path, limit: limit) + [letter], limit)
                    try Self.write(kept, to: path)
                    report.letters = kept.count
                    report.droppedEvents += UInt64(dropped.reduce(0) { $0 + $1.delivery.events })
                }
                report.problem = nil
            } catch {
                report.droppedEvents += UInt64(letter.delivery.events)
                report.problem = error.description
            }
        }
    }

    /// Every letter, the oldest first.
    package func letters() throws(DeadLetterError) -> [Letter] {
        do throws(DeadLetterError) { return try Self.read(path, limit: limit) } catch {
            state.withLock { $0.problem = error.description }
            throw error
        }
    }

    /// Removes a letter that was delivered.
    package func remove(_ id: String) {
        state.withLock { report in
            do throws(DeadLetterError) {
                let left = try Self.read(path, limit: limit).filter { $0.delivery.id != id }
                try Self.write(left, to: path)
                (report.letters, report.problem) = (left.count, nil)
            } catch {
                report.problem = error.description
            }
        }
    }

    /// The newest letters within the limit. A full file loses a tenth, so that not each letter writes all of it.
    private static func fitting(_ letters: [Letter], _ limit: Int) -> (kept: [Letter], dropped: [Letter]) {
        let sizes = letters.map { $0.line.count }
        guard sizes.reduce(0, +) > limit else { return (letters, []) }
        var (size, kept) = (0, 0)
        for line in sizes.reversed() {
            guard size + line <= limit - limit / 10 else { break }
            (size, kept) = (size + line, kept + 1)
        }
        return (Array(letters.suffix(kept)), Array(letters.dropLast(kept)))
    }

    // MARK: The file

    /// Lines that are none of ours, such as one that a killed daemon left unfinished, are passed over.
    private static func read(_ path: String, limit: Int) throws(DeadLetterError) -> [Letter] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else {
            if errno == ENOENT { return [] }
            throw DeadLetterError(path, "cannot be opened: \(String(cString: strerror(errno)))")
        }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        try check(descriptor, path)
        let data: Data
        // `nil` at the end of the file, which an empty one begins with.
        do { data = try file.read(upToCount: 2 * limit + 1) ?? Data() } catch { throw DeadLetterError(path, "cannot be read") }
        return data.split(separator: UInt8(ascii: "\n")).compactMap { Letter(line: $0) }
    }

    /// Returns the file's size before; `nil`, and nothing is written, if it would exceed the limit.
    private static func add(_ letter: Letter, to path: String, limit: Int) throws(DeadLetterError) -> Int? {
        let descriptor = open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
        guard descriptor >= 0 else { throw DeadLetterError(path, "cannot be opened: \(String(cString: strerror(errno)))") }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        try check(descriptor, path)
        do {
            let size = Int(try file.seekToEnd())
            // A line that a killed daemon left unfinished ends here.
            let line = (size > 0 ? [UInt8(ascii: "\n")] : []) + letter.line
            guard size + line.count <= limit else { return nil }
            try file.write(contentsOf: Data(line))
            try file.synchronize()
            return size
        } catch {
            throw DeadLetterError(path, "cannot be written")
        }
    }

    /// Replaces the file as a whole.
    private static func write(_ letters: [Letter], to path: String) throws(DeadLetterError) {
        let draft = path + ".new"
        unlink(draft)
        let descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw DeadLetterError(draft, "cannot be made: \(String(cString: strerror(errno)))") }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        do {
            try file.write(contentsOf: Data(letters.flatMap(\.line)))
            try file.synchronize()
        } catch {
            throw DeadLetterError(draft, "cannot be written")
        }
        guard rename(draft, path) == 0 else { throw DeadLetterError(path, "cannot be replaced") }
    }

    private static func check(_ descriptor: Int32, _ path: String) throws(DeadLetterError) {
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_nlink == 1 else {
            throw DeadLetterError(path, "is not a regular file of its own")
        }
        guard status.st_mode & 0o077 == 0 else { throw DeadLetterError(path, "can be read by others; its mode must be 0600") }
    }
}

/// Why the file of dead letters cannot be used.
package struct DeadLetterError: Error, CustomStringConvertible {
    package let description: String
    init(_ path: String, _ problem: String) { description = "the file \(path) \(problem)" }
}

extension DeadLetterFile.Letter {
    /// With a line end.
    var line: [UInt8] {
        let object: [String: Any] = [
            "id": delivery.id, "created_at_unix_ms": delivery.createdAt.unixMilliseconds, "events": delivery.events,
            "attempts": delivery.attempts, "reason": reason, "body": String(decoding: delivery.body, as: UTF8.self),
        ]
        let data = try? JSONSerialization.data(withJSONObject: object, options: [.sortedKeys, .withoutEscapingSlashes])
        return Array(data ?? Data()) + [UInt8(ascii: "\n")]
    }

    init?(line: some Collection<UInt8>) {
        guard let object = (try? JSONSerialization.jsonObject(with: Data(line))) as? [String: Any],
            let id = object["id"] as? String, let created = (object["created_at_unix_ms"] as? NSNumber)?.int64Value,
            let events = (object["events"] as? NSNumber)?.intValue, events >= 0,
            let attempts = (object["attempts"] as? NSNumber)?.intValue, let reason = object["reason"] as? String,
            let body = object["body"] as? String, id.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }), id.utf8.count <= 64
        else { return nil }
        self.init(
            delivery: WebhookDelivery(
                id: id, createdAt: Timestamp(unixMilliseconds: created), body: Array(body.utf8), events: events,
                attempts: attempts),
            reason: reason)
    }
}
