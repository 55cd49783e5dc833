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
        // No text of UTF-8 begins with a letter and a zero, in either order.
        let isWide = bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) || bytes.prefix(2).contains(0)
        guard !isWide else { throw ConfigurationError(file: path, "the file is UTF-16 or UTF-32; save it as UTF-8") }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            let line = lines.firstIndex { String(validating: $0, as: UTF8.self) == nil }.map { $0 + 1 }
            let message = "the line is not UTF-8, but has letters of another encoding such as Latin-1; save the file as UTF-8"
            throw ConfigurationError(file: path, problems: [.init(line: line, path: "", message: message)])
        }
        return text
    }
}
