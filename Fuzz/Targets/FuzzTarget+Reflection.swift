import AssayHTTP

extension FuzzTarget {
    private static let reflecting = Reflection()

    static func reflection(_ bytes: [UInt8]) { _ = try? reflecting.answer(bytes) }
}
