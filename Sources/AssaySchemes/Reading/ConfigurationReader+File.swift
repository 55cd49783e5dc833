import AssayFiles

extension ConfigurationReader {
    /// The text of a configuration, of a file of its catalog, or of tests of it: at most ``sizeLimit`` bytes of UTF-8.
    ///
    /// - Parameter isRegular: whether anything but a regular file is an error.
    package static func text(of path: String, isRegular: Bool = false) throws(ConfigurationError) -> String {
        let bytes: [UInt8]
        do throws(BoundedFileError) {
            bytes = try BoundedFile.read(path, atMost: sizeLimit, isRegular: isRegular)
        } catch {
            throw ConfigurationError(file: path, error.description)
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            let isUTF16 = bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF])
            throw ConfigurationError(file: path, isUTF16 ? "the file is UTF-16; save it as UTF-8" : "the file is not UTF-8")
        }
        return text
    }
}
