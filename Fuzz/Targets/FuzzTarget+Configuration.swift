import AssayConfiguration

extension FuzzTarget {
    /// The paths in it do not exist.
    static func configuration(_ bytes: [UInt8]) {
        _ = try? Configuration.parse(
            String(decoding: bytes, as: UTF8.self), file: "fuzz.yaml", folder: "/nowhere")
    }
}
