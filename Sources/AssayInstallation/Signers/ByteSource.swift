/// Bytes that are read in pieces: of a package, which may have gigabytes, a few places are needed.
package protocol ByteSource: Sendable {
    var count: Int { get }

    /// The bytes of a range within `0..<count`, all of them.
    func read(_ range: Range<Int>) throws(SignerFileError) -> [UInt8]
}

extension ByteSource {
    /// So many bytes at a place that a file names.
    ///
    /// - Parameter place: what is read, for the error.
    func bytes(at offset: Int, count length: Int, of place: String) throws(SignerFileError) -> [UInt8] {
        guard offset >= 0, length >= 0, offset <= count, length <= count - offset else {
            throw .malformed("\(place): it ends outside of the file")
        }
        return try read(offset..<offset + length)
    }
}
