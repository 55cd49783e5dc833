/// Finds the method that a call names. Each connection has a table of its own, which remembers the last method found.
struct MethodTable {
    let methods: [RPCMethod]
    private let index: [String: Int]
    private var last: (path: [UInt8], index: Int)?

    /// Of two methods with one path the first is taken.
    init(_ methods: [RPCMethod]) {
        self.methods = methods
        index = Dictionary(methods.enumerated().map { ($1.path, $0) }, uniquingKeysWith: { first, _ in first })
    }

    mutating func find(_ path: UnsafeRawBufferPointer) -> CallDispatcher.Finding {
        if let last, last.path.count == path.count, last.path.elementsEqual(path) { return .known(last.index) }
        guard let text = String(validating: path, as: UTF8.self) else { return .notText }
        guard let found = index[text], methods[found].path.utf8.elementsEqual(path) else { return .unknown(text) }
        last = (Array(path), found)
        return .known(found)
    }
}
