package import AssayCompression
package import AssayCore

/// A status for each index (draft-ietf-oauth-status-list §4.1): 1, 2, 4 or 8 bits, the first index in the lowest bits of the first byte.
package struct StatusList: Hashable, Sendable {
    /// The bits of one status.
    package enum Width: Int, CaseIterable, Hashable, Sendable {
        case one = 1
        case two = 2
        case four = 4
        case eight = 8

        fileprivate var inByte: Int { 8 / rawValue }
        fileprivate var mask: UInt8 { UInt8(truncatingIfNeeded: (1 << rawValue) - 1) }
    }

    package let width: Width
    package private(set) var bytes: [UInt8]

    /// A list in which every status is 0, valid.
    ///
    /// - Parameter count: rounded up to whole bytes.
    package init(_ width: Width, count: Int) {
        self.width = width
        bytes = [UInt8](repeating: 0, count: (count + width.inByte - 1) / width.inByte)
    }

    /// The list of published entries: 2 bits for each place, at the index that the permutation gives its position.
    package init(_ entries: [ResultStatusEntry], by permutation: StatusListPermutation) {
        self.init(.two, count: Int(ResultStatusPlace.listSize))
        for entry in entries { self[Int(permutation.index(of: entry.position))] = entry.status.rawValue }
    }

    /// Indexes are below this.
    package var count: Int { bytes.count * width.inByte }

    /// The status of an index, which is below ``count``; a status has at most ``width`` bits.
    package subscript(index: Int) -> UInt8 {
        get { bytes[index / width.inByte] >> shift(of: index) & width.mask }
        set {
            let shift = shift(of: index)
            bytes[index / width.inByte] &= ~(width.mask << shift)
            bytes[index / width.inByte] |= (newValue & width.mask) << shift
        }
    }

    private func shift(of index: Int) -> Int { index % width.inByte * width.rawValue }
}

extension StatusList {
    /// ZLIB at its highest level (§4.1), which `lst` holds; `nil` if zlib has no memory.
    package var compressed: [UInt8]? { Deflation.deflate(bytes, as: .zlib) }

    /// Reads what `lst` holds.
    ///
    /// - Parameter limit: the most bytes that come out.
    package init(_ width: Width, compressed: [UInt8], limit: Int) throws(InflationError) {
        self.width = width
        bytes = try Inflation.inflate(compressed, as: .zlib, limit: limit)
    }
}
