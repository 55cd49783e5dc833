import AssayProtobuf

/// The details of `google.rpc` that are read.
enum StatusDetail {
    /// Details beyond these are not looked at.
    static let countLimit = 16

    /// What the details of an error say.
    struct Found {
        private(set) var reason = ""
        private(set) var retryAfterMilliseconds: UInt32?

        /// Reads one detail: the full name of its message, and its bytes. Others, and what cannot be read, are left out.
        mutating func read(_ type: String, _ bytes: [UInt8]) {
            switch type {
            case "google.rpc.ErrorInfo": reason = StatusDetail.reason(bytes) ?? reason
            case "google.rpc.RetryInfo": retryAfterMilliseconds = StatusDetail.retryDelay(bytes) ?? retryAfterMilliseconds
            default: break
            }
        }
    }

    /// What the details of `google.rpc.Status` say, which are its field 3: messages with the URL of their type (1) and their bytes (2).
    static func found(in status: [UInt8]) -> Found {
        status.withUnsafeBytes { memory in
            var reader = ProtobufReader<Rules>(memory)
            var (found, count) = (Found(), 0)
            while count < countLimit, let field = try? reader.next() {
                guard case .bytes(3, let range) = field else { continue }
                count += 1
                var detail = ProtobufReader<Rules>(memory, range)
                var (type, bytes) = ("", [UInt8]())
                while let part = try? detail.next() {
                    switch part {
                    case .bytes(1, let range): type = memory.text(range) ?? ""
                    case .bytes(2, let range): bytes = Array(memory[range])
                    default: continue
                    }
                }
                found.read(type.split(separator: "/").last.map(String.init) ?? "", bytes)
            }
            return found
        }
    }

    private struct Malformed: Error {}
    private enum Rules: ProtobufRules {
        static var malformed: Malformed { Malformed() }
        static var dropsHighBits: Bool { true }
    }

    /// `ErrorInfo.reason`, field 1.
    static func reason(_ bytes: [UInt8]) -> String? {
        bytes.withUnsafeBytes { memory in
            var reader = ProtobufReader<Rules>(memory)
            var reason: String?
            while let field = try? reader.next() {
                if case .bytes(1, let range) = field { reason = memory.text(range) }
            }
            return reason
        }
    }

    /// `RetryInfo.retry_delay`, field 1: a Duration of seconds (1) and nanoseconds (2). In milliseconds, rounded up.
    static func retryDelay(_ bytes: [UInt8]) -> UInt32? {
        bytes.withUnsafeBytes { memory in
            var reader = ProtobufReader<Rules>(memory)
            var delay: UInt32?
            while let field = try? reader.next() {
                if case .bytes(1, let range) = field { delay = milliseconds(memory, range) }
            }
            return delay
        }
    }

    private static func milliseconds(_ memory: UnsafeRawBufferPointer, _ range: Range<Int>) -> UInt32? {
        var reader = ProtobufReader<Rules>(memory, range)
        var (seconds, nanoseconds) = (Int64(0), Int64(0))
        while let field = try? reader.next() {
            switch field {
            case .varint(1, let value): seconds = Int64(bitPattern: value)
            case .varint(2, let value): nanoseconds = Int64(bitPattern: value)
            default: continue
            }
        }
        guard seconds >= 0, (0..<1_000_000_000).contains(nanoseconds) else { return nil }
        // Beyond 49 days it does not matter how long.
        guard seconds < Int64(UInt32.max / 1000) else { return .max }
        return UInt32(clamping: seconds * 1000 + (nanoseconds + 999_999) / 1_000_000)
    }
}
