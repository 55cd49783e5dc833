import AssayAPI
import AssayRPC

/// The methods that are called over HTTP: by their gRPC paths, and by their plain names.
struct HTTPMethods: Sendable {
    /// A method, and what a front must know of it.
    struct Entry: Sendable {
        /// Its number in the service.
        let number: Int
        let isStream: Bool
        /// `nil` for a method that is neither declared nor one of health, whose messages have no JSON here.
        let json: MethodJSON?
        /// The number of the field of the request that has its idempotency key; `nil`: it has none.
        let idempotencyField: UInt32?
        /// Where its answers have the id of their request; `nil`: they have none.
        let requestID: RequestIDField?
        /// A call may be repeated without one.
        let isRepeatable: Bool
    }

    private let entries: [Entry]
    private let byPath: [String: Int]
    /// The method that judges uploads; `nil` where it is not served.
    let verification: Entry?

    init(_ service: RPCService) {
        let declared = Dictionary(
            API.all.map { ($0.declaration.path, $0) }, uniquingKeysWith: { first, _ in first })
        var byPath: [String: Int] = [:]
        entries = service.methods.enumerated().map { number, method in
            let api = declared[method.path]
            let json = api?.json ?? HealthJSON.of(method.path)
            if byPath[method.path] == nil { byPath[method.path] = number }
            if let alias = api?.declaration.http.path, byPath[alias] == nil { byPath[alias] = number }
            return Entry(
                number: number, isStream: method.isStream, json: json,
                idempotencyField: json?.request.idempotencyField,
                requestID: json.flatMap { RequestIDField($0.response) },
                isRepeatable: api?.declaration.idempotency.allowsRepeating(hasKey: false) ?? true)
        }
        self.byPath = byPath
        verification = entries.first { service.methods[$0.number].path == AuthorizationCall.method }
    }

    /// - Parameter path: without the query. Compared as it came, no part of it decoded.
    func find(_ path: String) -> Entry? {
        guard let number = byPath[path], number < entries.count else { return nil }
        return entries[number]
    }

    /// - Parameter number: that of the method in the service.
    subscript(number: Int) -> Entry? { entries.indices.contains(number) ? entries[number] : nil }
}

extension MessageSchema {
    /// The number of the text field `idempotency_key`; `nil`: the message has none.
    var idempotencyField: UInt32? {
        fields.first { $0.name == "idempotency_key" }.map { UInt32($0.number) }
    }
}
