import AssayRPC

/// The fields of `assay.rpc.v1.Call`, as ranges of the frame. Method and message may be given at most once.
package struct CallFields {
    private(set) var method = 0..<0
    private(set) var message = 0..<0
    private(set) var timeoutMilliseconds: UInt32 = 0
    /// The timeout has more than 32 bits, which no client's `uint32` can hold. It is not kept.
    private(set) var hasTooLongTimeout = false
    private(set) var metadata = RPCMetadata()
    /// There are more entries than ``RPCMetadata/maxEntries``. The others are not kept.
    private(set) var hasTooMuchMetadata = false

    package init(parsing bytes: UnsafeRawBufferPointer, _ body: Range<Int>) throws(GoAwayReason) {
        var reader = WireReader(bytes, body)
        while let tag = try reader.tag() {
            switch (tag.field, tag.type) {
            case (1, WireReader.Tag.lengthDelimited): method = try reader.range(insteadOf: method)
            case (2, WireReader.Tag.lengthDelimited): message = try reader.range(insteadOf: message)
            case (3, WireReader.Tag.varint): setTimeout(try reader.varint())
            case (4, WireReader.Tag.lengthDelimited): try addMetadata(bytes, try reader.range())
            default: try reader.skip(tag)
            }
        }
    }

    /// The last of several timeouts counts, as in protobuf.
    private mutating func setTimeout(_ value: UInt64) {
        timeoutMilliseconds = UInt32(exactly: value) ?? 0
        hasTooLongTimeout = value > UInt64(UInt32.max)
    }

    /// An entry of a map is a message: key 1, value 2.
    private mutating func addMetadata(_ bytes: UnsafeRawBufferPointer, _ entry: Range<Int>) throws(GoAwayReason) {
        guard metadata.entries.count < RPCMetadata.maxEntries else {
            hasTooMuchMetadata = true
            return
        }
        var (key, value) = ("", "")
        var reader = WireReader(bytes, entry)
        while let tag = try reader.tag() {
            switch (tag.field, tag.type) {
            case (1, WireReader.Tag.lengthDelimited): key = try reader.string()
            case (2, WireReader.Tag.lengthDelimited): value = try reader.string()
            case (1...2, _): throw .undecodableFrame
            default: try reader.skip(tag)
            }
        }
        metadata.append(key, value)
    }
}
