import AssayAPI
import AssayProtobuf
package import AssayRPC

/// What `grpc.reflection.v1.ServerReflection` answers, and `v1alpha`, whose messages are the same: the .proto files of the API, of health and
/// of reflection itself. It says nothing of callers and apps.
package struct Reflection: Sendable {
    /// The services of the API, health, and reflection under both of its names.
    package static let services =
        MethodDeclaration.declaredServices + [
            "grpc.health.v1.Health", "grpc.reflection.v1.ServerReflection", "grpc.reflection.v1alpha.ServerReflection",
        ]

    private let index = DescriptorIndex.current
    /// A serialised `ListServiceResponse`.
    private let list: [UInt8]

    /// - Parameter services: the full names of the services that are served, which are listed. What a file declares is found also if it is not
    ///   served.
    package init(services: [String] = Self.services) {
        var writer = ProtobufWriter(capacity: 512)
        for service in services.sorted() { writer.writeMessage(1) { $0.write(1, service) } }
        list = writer.finish()
    }

    /// Answers one `ServerReflectionRequest` by one `ServerReflectionResponse`. What is not found is an answer too. The answer is longer than the
    /// request by at most the files, some hundred KiB.
    ///
    /// Throws INVALID_ARGUMENT, `undecodable_message`, for bytes that are no request.
    package func answer(_ request: [UInt8]) throws(RPCError) -> [UInt8] {
        let fields = try ReflectionRequest(request)
        var writer = ProtobufWriter(capacity: request.count + 1024)
        writer.write(1, fields.host)
        writer.writeAlways(2, request)
        switch fields.question {
        case .file(let name): write(index.files(named: name), "there is no file of that name", to: &writer)
        case .symbol(let name): write(index.files(containing: name), "there is no symbol of that full name", to: &writer)
        case .fileOfExtension: writeError(.notFound, "there are no extensions", to: &writer)
        case .extensionNumbers(let type) where index.isMessage(type):
            // No message has extensions.
            writer.writeMessage(5) { $0.write(1, type) }
        case .extensionNumbers: writeError(.notFound, "there is no message of that full name", to: &writer)
        case .services: writer.writeAlways(6, list)
        case nil: writeError(.invalidArgument, "the request asks for nothing that is known here", to: &writer)
        }
        return writer.finish()
    }

    /// A `FileDescriptorResponse`: the file, and then those that it imports.
    private func write(_ files: [[UInt8]]?, _ problem: String, to writer: inout ProtobufWriter) {
        guard let files else { return writeError(.notFound, problem, to: &writer) }
        writer.writeMessage(4) { response in
            for file in files { response.writeAlways(1, file) }
        }
    }

    /// An `ErrorResponse`.
    private func writeError(_ code: RPCStatusCode, _ message: String, to writer: inout ProtobufWriter) {
        writer.writeMessage(7) {
            $0.write(1, Int64(code.rawValue))
            $0.write(2, message)
        }
    }
}
