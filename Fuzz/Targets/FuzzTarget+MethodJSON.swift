import AssayAPI

extension FuzzTarget {
    private static let methods = API.all.compactMap(\.json)

    /// The first byte chooses the method. The rest is read as its request, and written as its answer.
    static func methodJSON(_ bytes: [UInt8]) {
        guard let first = bytes.first, !methods.isEmpty else { return }
        let json = methods[Int(first) % methods.count]
        _ = try? json.readRequest(bytes.dropFirst())
        _ = try? json.writeResponse(Array(bytes.dropFirst()))
    }
}
