import CZlib

/// Deflates bytes, by the system's zlib.
package enum Deflation {
    /// One member of a format that holds the bytes.
    ///
    /// - Parameters:
    ///   - input: below 2 GiB.
    ///   - level: 0 (stored) to 9 (smallest).
    /// - Returns: `nil` if zlib has no memory.
    package static func deflate(_ input: [UInt8], as format: CompressedFormat, level: CInt = 9) -> [UInt8]? {
        // zlib keeps the address of the stream.
        withUnsafeTemporaryAllocation(of: z_stream.self, capacity: 1) { memory in
            guard let stream = memory.baseAddress else { return nil }
            stream.initialize(to: z_stream())
            guard assay_deflate_begin(stream, level, format.window) == Z_OK else { return nil }
            defer { deflateEnd(stream) }
            var output = [UInt8](repeating: 0, count: Int(deflateBound(stream, uLong(input.count))))
            let status = input.withUnsafeBufferPointer { input in
                output.withUnsafeMutableBufferPointer { output in
                    // zlib reads and does not write there.
                    stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
                    stream.pointee.avail_in = uInt(clamping: input.count)
                    stream.pointee.next_out = output.baseAddress
                    stream.pointee.avail_out = uInt(clamping: output.count)
                    return CZlib.deflate(stream, Z_FINISH)
                }
            }
            guard status == Z_STREAM_END else { return nil }
            output.removeLast(Int(stream.pointee.avail_out))
            return output
        }
    }
}
