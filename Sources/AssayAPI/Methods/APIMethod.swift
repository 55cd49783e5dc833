package import SwiftProtobuf

/// A method of the API, with the messages that it takes and returns. `API` declares every method once.
package protocol APIMethod<Request, Response>: Sendable {
    associatedtype Request: SwiftProtobuf.Message
    associatedtype Response: SwiftProtobuf.Message

    var declaration: MethodDeclaration { get }
    init(_ declaration: MethodDeclaration)
}

extension APIMethod {
    /// The gRPC path.
    package var path: String { declaration.path }

    /// - Parameter roles: the caller needs one of these.
    init(
        _ path: String, roles: Set<Role>, _ idempotency: Idempotency, form: MethodDeclaration.Form = .unary,
        takesTurns: Bool = false, concernsAllApps: Bool = false
    ) {
        self.init(
            MethodDeclaration(
                path: path, roles: roles, idempotency: idempotency, form: form, takesTurns: takesTurns,
                concernsAllApps: concernsAllApps))
    }
}

/// A method whose request names an app, which must be configured and one of the caller's.
package struct AppMethod<Request: AppRequest, Response: SwiftProtobuf.Message>: APIMethod {
    package let declaration: MethodDeclaration
    package init(_ declaration: MethodDeclaration) { self.declaration = declaration }
}

/// A method whose request may name an app to narrow the answer: one of the caller's, which need not be configured any more.
package struct AppFilterMethod<Request: AppRequest, Response: SwiftProtobuf.Message>: APIMethod {
    package let declaration: MethodDeclaration
    package init(_ declaration: MethodDeclaration) { self.declaration = declaration }
}

/// A method about the daemon or its feeds. Its body answers only about the caller's apps.
package struct DaemonMethod<Request: SwiftProtobuf.Message, Response: SwiftProtobuf.Message>: APIMethod {
    package let declaration: MethodDeclaration
    package init(_ declaration: MethodDeclaration) { self.declaration = declaration }
}

/// A request that names an app.
package protocol AppRequest: SwiftProtobuf.Message {
    /// Empty where no app is named.
    var app: String { get }
}
