import CZlib

/// Inflates bytes that are not trusted, by the system's zlib.
package enum Inflation {
    /// What one member of a format holds, when nothing follows it.
    ///
    /// At most one byte more than the limit is inflated, which shows that there are more; memory is taken as the bytes come.
    ///
    /// - Parameter limit: the most bytes that come out, below 2 GiB.
    package static func inflate(
        _ input: UnsafeRawBufferPointer, as format: CompressedFormat, limit: Int
    ) throws(InflationError) -> [UInt8] {
        // zlib keeps the address of the stream.
        try withUnsafeTemporaryAllocation(of: z_stream.self, capacity: 1) { memory -> Result<[UInt8], InflationError> in
            guard let stream = memory.baseAddress else { return .failure(.outOfMemory) }
            stream.initialize(to: z_stream())
            guard assay_inflate_begin(stream, format.window) == Z_OK else { return .failure(.outOfMemory) }
            defer { inflateEnd(stream) }
            return inflate(input, by: stream, limit: min(max(limit, 0), Int(Int32.max) - 1))
        }.get()
    }

    package static func inflate(_ input: [UInt8], as format: CompressedFormat, limit: Int) throws(InflationError) -> [UInt8] {
        try input.withUnsafeBytes { input in
            Result { () throws(InflationError) in try inflate(input, as: format, limit: limit) }
        }.get()
    }

    private static func inflate(
        _ input: UnsafeRawBufferPointer, by stream: UnsafeMutablePointer<z_stream>, limit: Int
    ) -> Result<[UInt8], InflationError> {
        // zlib reads and does not write there.
        stream.pointee.next_in = UnsafeMutablePointer(mutating: input.bindMemory(to: UInt8.self).baseAddress)
        stream.pointee.avail_in = uInt(clamping: input.count)
        let most = limit + 1
        var output = [UInt8](repeating: 0, count: min(most, max(256, input.count)))
        var count = 0
        while true {
            if count == output.count { output += [UInt8](repeating: 0, count: min(count, most - count)) }
            let status = output.withUnsafeMutableBufferPointer { output in
                stream.pointee.next_out = output.baseAddress.map { $0 + count }
                stream.pointee.avail_out = uInt(clamping: output.count - count)
                let status = CZlib.inflate(stream, Z_NO_FLUSH)
                count = output.count - Int(stream.pointee.avail_out)
                return status
            }
            guard count <= limit else { return .failure(.tooLong) }
            switch status {
            case Z_STREAM_END:
                guard stream.pointee.avail_in == 0 else { return .failure(.malformed) }
                output.removeLast(output.count - count)
                return .success(output)
            // With space left, the input is used up before its end.
            case Z_OK where count == output.count: continue
            case Z_MEM_ERROR: return .failure(.outOfMemory)
            default: return .failure(.malformed)
            }
        }
    }
}
