extension [UInt8] {
    /// Bytes that are written to memory which is not initialised.
    ///
    /// In place of `init(unsafeUninitializedCapacity:initializingWith:)`, which Swift 6.3 does not specialise: it looks up the array's type at each
    /// use, which takes 300 instructions.
    ///
    /// - Parameter fill: writes to the beginning of the memory, of `capacity` bytes, and adds how many it wrote.
    package static func filled(
        capacity: Int, _ fill: (_ memory: UnsafeMutableBufferPointer<UInt8>, _ count: inout Int) -> Void
    ) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(addingCapacity: capacity) { span in
            span.withUnsafeMutableBufferPointer { memory, count in fill(memory, &count) }
        }
        return bytes
    }
}
