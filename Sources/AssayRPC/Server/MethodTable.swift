/// Finds the method a call names. One for each connection: its memory of the last one spares most look-ups.
struct MethodTable {
    let methods: [RPCMethod]
    private let index: [String: Int]
    private var last: (path: [UInt8], index: Int)?

    /// Of two methods with one path the first is taken.
    init(_ methods: [RPCMethod]) {
        self.methods = methods
        index = Dictionary(methods.enumerated().map { ($1.path, $0) }, uniquingKeysWith: { first, _ in first })
    }

    enum Finding {
        case known(Int)
        case unknown(String)
        case notText
    }

    mutating func find(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) -> Finding {
        let path = UnsafeRawBufferPointer(rebasing: bytes[range])
        if let last, last.path.count == path.count, last.path.elementsEqual(path) { return .known(last.index) }
        guard let text = WireReader.string(bytes, range) else { return .notText }
        guard let found = index[text], methods[found].path.utf8.elementsEqual(path) else { return .unknown(text) }
        last = (Array(path), found)
        return .known(found)
    }
}
