/// One frame of assay.rpc.v1, as far as a plugin needs it. The generated message is not used: it would merge what comes twice,
/// where the protocol says that the frame is undecodable.
struct Frame {
    enum Kind {
        case call(Call)
        case reply(Reply)
        case ping
        /// Nothing to do: a cancel, a kind of the future, or none.
        case other
    }

    struct Call {
        var method = ""
        var message: [UInt8] = []
        var timeoutMilliseconds: UInt64 = 0
        var metadataCount = 0
    }

    struct Reply {
        var status = Status()
        var message: [UInt8] = []
    }

    var callID: UInt64 = 0
    var kind = Kind.other

    /// Reads a frame that stands in `range` of `bytes`.
    init(_ bytes: [UInt8], _ range: Range<Int>) throws(WireReader.Undecodable) {
        var reader = WireReader(bytes, range)
        var hasKind = false
        while let (number, value) = try reader.next() {
            switch number {
            case 1: callID = try value.number()
            case 2...9:
                guard !hasKind else { throw WireReader.Undecodable() }
                hasKind = true
                kind = try Self.readKind(number, bytes, value.range())
            default: break
            }
        }
    }

    private static func readKind(
        _ number: UInt64, _ bytes: [UInt8], _ range: Range<Int>
    ) throws(WireReader.Undecodable) -> Kind {
        switch number {
        case 2: return .call(try Call(bytes, range))
        case 3: return .reply(try Reply(bytes, range))
        default:
            var reader = WireReader(bytes, range)
            while try reader.next() != nil {}
            return number == 7 ? .ping : .other
        }
    }
}

extension Frame.Call {
    init(_ bytes: [UInt8], _ range: Range<Int>) throws(WireReader.Undecodable) {
        var reader = WireReader(bytes, range)
        var seen: Set<UInt64> = []
        while let (number, value) = try reader.next() {
            switch number {
            case 1, 2:
                guard seen.insert(number).inserted else { throw WireReader.Undecodable() }
                if number == 1 { method = try value.text(in: bytes) } else { message = Array(bytes[try value.range()]) }
            case 3: timeoutMilliseconds = try value.number()
            case 4:
                metadataCount += 1
                try Self.checkMetadata(bytes, value.range())
            default: break
            }
        }
    }

    /// Names and values are text; nothing here reads them.
    private static func checkMetadata(_ bytes: [UInt8], _ range: Range<Int>) throws(WireReader.Undecodable) {
        var reader = WireReader(bytes, range)
        while let (number, value) = try reader.next() {
            if number <= 2 { _ = try value.text(in: bytes) }
        }
    }
}

extension Frame.Reply {
    init(_ bytes: [UInt8], _ range: Range<Int>) throws(WireReader.Undecodable) {
        var reader = WireReader(bytes, range)
        while let (number, value) = try reader.next() {
            switch number {
            case 1: try readStatus(bytes, value.range())
            case 2: message = Array(bytes[try value.range()])
            default: break
            }
        }
    }

    private mutating func readStatus(_ bytes: [UInt8], _ range: Range<Int>) throws(WireReader.Undecodable) {
        var reader = WireReader(bytes, range)
        while let (number, value) = try reader.next() {
            switch number {
            case 1: status.code = try value.number()
            case 2: status.message = try value.text(in: bytes)
            case 3: status.reason = try value.text(in: bytes)
            default: break
            }
        }
    }
}

extension WireReader.Value {
    fileprivate func number() throws(WireReader.Undecodable) -> UInt64 {
        guard case .varint(let number) = self else { throw WireReader.Undecodable() }
        return number
    }

    fileprivate func range() throws(WireReader.Undecodable) -> Range<Int> {
        guard case .bytes(let range) = self else { throw WireReader.Undecodable() }
        return range
    }

    fileprivate func text(in bytes: [UInt8]) throws(WireReader.Undecodable) -> String {
        guard let text = String(validating: bytes[try range()], as: UTF8.self) else { throw WireReader.Undecodable() }
        return text
    }
}
