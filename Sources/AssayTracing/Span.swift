/// A piece of work with its times, as it is exported.
package struct Span: Sendable, Equatable {
    package enum Kind: Hashable, Sendable {
        /// Work within the process.
        case `internal`
        /// Answers a call.
        case server
        /// Calls another service.
        case client
    }

    package enum Status: Hashable, Sendable {
        case unset
        /// - Parameter message: a stable word, never a text that a caller sent.
        case error(String)
    }

    package let traceID: TraceID
    package let id: SpanID
    /// `nil` for the first span of a trace.
    package let parent: SpanID?
    /// Whether the parent is in another process.
    package let parentIsRemote: Bool
    /// The caller's, on the span of a call; else empty.
    package let state: String
    package let name: String
    package let kind: Kind
    /// Nanoseconds since 1970.
    package let start: UInt64
    package let end: UInt64
    package let status: Status
    package let attributes: [SpanAttribute]
}

/// A name and a value of a span. Names and values are the daemon's own and the configuration's; what callers send is none.
package struct SpanAttribute: Hashable, Sendable {
    package enum Value: Hashable, Sendable {
        case text(String)
        case integer(Int64)
        case truth(Bool)
    }

    package let name: String
    package let value: Value

    package init(_ name: StaticString, _ text: String) { (self.name, value) = ("\(name)", .text(text)) }
    package init(_ name: StaticString, _ integer: Int) { (self.name, value) = ("\(name)", .integer(Int64(integer))) }
    package init(_ name: StaticString, isTrue: Bool) { (self.name, value) = ("\(name)", .truth(isTrue)) }
}
