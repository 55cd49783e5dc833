import AssayAPI
import SwiftProtobuf

/// The JSON of the methods of `grpc.health.v1`, by their .proto file.
enum HealthJSON {
    /// - Parameter path: that of a method of any service; `nil`: it is none of this one.
    static func of(_ path: String) -> MethodJSON? { byPath[path] }

    private static let byPath: [String: MethodJSON] = {
        let file = StandardDescriptors.health
        guard let bytes: [UInt8] = try? file.serializedBytes(), let schema = APISchema(files: [bytes]) else { return [:] }
        var found: [String: MethodJSON] = [:]
        for service in file.service {
            for method in service.method {
                // Full names have a dot before them.
                found["/\(file.package).\(service.name)/\(method.name)"] = MethodJSON(
                    request: String(method.inputType.dropFirst()), response: String(method.outputType.dropFirst()), of: schema)
            }
        }
        return found
    }()
}
