/// Reads a header block of HTTP/2 as far as it takes to know whether it changes the table of its decoder (RFC 7541 §6).
package enum HeaderBlockScan {
    /// Whether a block adds to the table or changes its size; `nil`: it cannot be read.
    package static func changesTable(_ block: UnsafeRawBufferPointer) -> Bool? {
        var next = 0
        while next < block.count {
            switch block[next] {
            // A field of the table.
            case 0x80...: guard integer(7, in: block, &next) != nil else { return nil }
            // A literal that is added, and a new size.
            case 0x20..<0x80: return true
            default:
                guard let name = integer(4, in: block, &next) else { return nil }
                if name == 0 { guard skipString(in: block, &next) else { return nil } }
                guard skipString(in: block, &next) else { return nil }
            }
        }
        return false
    }

    private static func skipString(in block: UnsafeRawBufferPointer, _ next: inout Int) -> Bool {
        guard next < block.count, let length = integer(7, in: block, &next), length <= block.count - next else { return false }
        next += length
        return true
    }

    /// An integer of which the first byte has `bits` bits (§5.1). Longer ones than four bytes are not read.
    private static func integer(_ bits: Int, in block: UnsafeRawBufferPointer, _ next: inout Int) -> Int? {
        let most = 1 << bits - 1
        var value = Int(block[next]) & most
        next += 1
        guard value == most else { return value }
        for shift in stride(from: 0, to: 28, by: 7) {
            guard next < block.count else { return nil }
            let byte = Int(block[next])
            next += 1
            value += (byte & 0x7f) << shift
            if byte & 0x80 == 0 { return value }
        }
        return nil
    }
}
