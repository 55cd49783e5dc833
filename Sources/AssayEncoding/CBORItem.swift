package import AssayCore

/// One data item of strict CBOR, read to its end. Maps and arrays have been walked, so they are well-formed at every level.
package struct CBORItem: Sendable {
    package enum Kind: UInt8, Sendable {
        case unsigned, negative, byteString, textString, array, map, tag, simple
    }

    package let kind: Kind
    /// The head's argument: the value of an integer (for `negative`, n stands for -1 - n), the length of a string, the
    /// number of elements or of pairs.
    package let argument: UInt64
    /// The bytes after the head.
    package let content: ArraySlice<UInt8>
    /// Head and content.
    package let encoded: ArraySlice<UInt8>
    /// Levels of nesting allowed below this item.
    let depthLeft: Int
    let code: ReasonCode

    /// The bytes of a byte string.
    package func bytes(_ name: StaticString) throws(Rejection) -> ArraySlice<UInt8> {
        guard kind == .byteString else { throw mismatch(name, "a byte string") }
        return content
    }

    /// The UTF-8 of a text string; its validity was checked when the item was read.
    package func textBytes(_ name: StaticString) throws(Rejection) -> ArraySlice<UInt8> {
        guard kind == .textString else { throw mismatch(name, "a text string") }
        return content
    }

    package func text(_ name: StaticString) throws(Rejection) -> String {
        String(decoding: try textBytes(name), as: UTF8.self)
    }

    /// An integer of either sign, if it fits.
    package var integer: Int64? {
        switch kind {
        case .unsigned: Int64(exactly: argument)
        case .negative: Int64(exactly: argument).map { -1 - $0 }
        default: nil
        }
    }

    /// Calls `body` with the elements of an array, in order.
    package func elements(
        _ name: StaticString, _ body: (CBORItem) throws(Rejection) -> Void
    ) throws(Rejection) {
        guard kind == .array else { throw mismatch(name, "an array") }
        var reader = CBORReader(content, code: code, depthLeft: depthLeft - 1)
        while !reader.isAtEnd { try body(try reader.item()) }
    }

    /// Calls `body` with the pairs of a map, in order. The keys are distinct.
    package func pairs(
        _ name: StaticString, _ body: (_ key: CBORItem, _ value: CBORItem) throws(Rejection) -> Void
    ) throws(Rejection) {
        guard kind == .map else { throw mismatch(name, "a map") }
        var reader = CBORReader(content, code: code, depthLeft: depthLeft - 1)
        while !reader.isAtEnd {
            let key = try reader.item()
            try body(key, try reader.item())
        }
    }

    private func mismatch(_ name: StaticString, _ wanted: StaticString) -> Rejection {
        Rejection(code, "\(name) is not \(wanted)", offset: encoded.startIndex)
    }
}

extension ArraySlice<UInt8> {
    /// Whether the bytes are the UTF-8 of the text.
    package func spells(_ text: StaticString) -> Bool { text.withUTF8Buffer { elementsEqual($0) } }
}
