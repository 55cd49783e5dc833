import SwiftProtobuf

/// The .proto files of what is served beside the API: gRPC's own services, health and reflection under both of its names, and the details of errors.
enum StandardDescriptors {
    /// Serialised `google.protobuf.FileDescriptorProto`s.
    static let files: [[UInt8]] = [health, reflection("v1"), reflection("v1alpha"), duration, errorDetails].compactMap {
        try? $0.serializedBytes()
    }

    /// `google/protobuf/duration.proto`, which the next one imports.
    private static var duration: Google_Protobuf_FileDescriptorProto {
        file("google/protobuf/duration.proto", package: "google.protobuf") { file in
            file.messageType = [message("Duration", [field("seconds", 1, .int64), number("nanos", 2)])]
        }
    }

    /// Of `google/rpc/error_details.proto` the details that errors here have, so that clients show them by their fields.
    private static var errorDetails: Google_Protobuf_FileDescriptorProto {
        file("google/rpc/error_details.proto", package: "google.rpc") { file in
            file.dependency = ["google/protobuf/duration.proto"]
            var entry = message("MetadataEntry", [text("key", 1), text("value", 2)])
            entry.options.mapEntry = true
            var info = message(
                "ErrorInfo",
                [
                    text("reason", 1), text("domain", 2),
                    message("metadata", 3, of: ".google.rpc.ErrorInfo.MetadataEntry", isRepeated: true),
                ])
            info.nestedType = [entry]
            file.messageType = [
                info, message("RetryInfo", [message("retry_delay", 1, of: ".google.protobuf.Duration")]),
            ]
        }
    }

    /// `grpc/health/v1/health.proto`.
    static var health: Google_Protobuf_FileDescriptorProto {
        let scope = ".grpc.health.v1."
        return file("grpc/health/v1/health.proto", package: "grpc.health.v1") { file in
            file.messageType = [
                message("HealthCheckRequest", [text("service", 1)]),
                .with {
                    $0.name = "HealthCheckResponse"
                    $0.field = [
                        .with {
                            ($0.name, $0.number, $0.label, $0.type) = ("status", 1, .optional, .enum)
                            $0.typeName = scope + "HealthCheckResponse.ServingStatus"
                        }
                    ]
                    $0.enumType = [
                        .with {
                            $0.name = "ServingStatus"
                            $0.value = ["UNKNOWN", "SERVING", "NOT_SERVING", "SERVICE_UNKNOWN"].enumerated().map {
                                number, name in
                                .with { ($0.name, $0.number) = (name, Int32(number)) }
                            }
                        }
                    ]
                },
                message("HealthListRequest", []),
                .with {
                    $0.name = "HealthListResponse"
                    $0.field = [
                        message("statuses", 1, of: scope + "HealthListResponse.StatusesEntry", isRepeated: true)
                    ]
                    var entry = message(
                        "StatusesEntry", [text("key", 1), message("value", 2, of: scope + "HealthCheckResponse")])
                    entry.options.mapEntry = true
                    $0.nestedType = [entry]
                },
            ]
            file.service = [
                service(
                    "Health",
                    [
                        method("Check", scope + "HealthCheckRequest", scope + "HealthCheckResponse"),
                        method("List", scope + "HealthListRequest", scope + "HealthListResponse"),
                        method("Watch", scope + "HealthCheckRequest", scope + "HealthCheckResponse", answers: true),
                    ])
            ]
        }
    }

    /// `grpc/reflection/<version>/reflection.proto`. The versions differ in nothing but their names.
    private static func reflection(_ version: String) -> Google_Protobuf_FileDescriptorProto {
        let scope = ".grpc.reflection.\(version)."
        return file("grpc/reflection/\(version)/reflection.proto", package: "grpc.reflection.\(version)") { file in
            file.messageType = [
                message(
                    "ServerReflectionRequest",
                    [
                        text("host", 1), chosen(text("file_by_filename", 3)), chosen(text("file_containing_symbol", 4)),
                        chosen(message("file_containing_extension", 5, of: scope + "ExtensionRequest")),
                        chosen(text("all_extension_numbers_of_type", 6)), chosen(text("list_services", 7)),
                    ], choice: "message_request"),
                message("ExtensionRequest", [text("containing_type", 1), number("extension_number", 2)]),
                message(
                    "ServerReflectionResponse",
                    [
                        text("valid_host", 1), message("original_request", 2, of: scope + "ServerReflectionRequest"),
                        chosen(message("file_descriptor_response", 4, of: scope + "FileDescriptorResponse")),
                        chosen(message("all_extension_numbers_response", 5, of: scope + "ExtensionNumberResponse")),
                        chosen(message("list_services_response", 6, of: scope + "ListServiceResponse")),
                        chosen(message("error_response", 7, of: scope + "ErrorResponse")),
                    ], choice: "message_response"),
                message("FileDescriptorResponse", [field("file_descriptor_proto", 1, .bytes, isRepeated: true)]),
                message(
                    "ExtensionNumberResponse",
                    [text("base_type_name", 1), field("extension_number", 2, .int32, isRepeated: true)]),
                message("ListServiceResponse", [message("service", 1, of: scope + "ServiceResponse", isRepeated: true)]),
                message("ServiceResponse", [text("name", 1)]),
                message("ErrorResponse", [number("error_code", 1), text("error_message", 2)]),
            ]
            file.service = [
                service(
                    "ServerReflection",
                    [
                        method(
                            "ServerReflectionInfo", scope + "ServerReflectionRequest", scope + "ServerReflectionResponse",
                            asks: true, answers: true)
                    ])
            ]
        }
    }

    // MARK: Parts of files

    private static func file(
        _ name: String, package: String, _ content: (inout Google_Protobuf_FileDescriptorProto) -> Void
    ) -> Google_Protobuf_FileDescriptorProto {
        var file = Google_Protobuf_FileDescriptorProto()
        (file.name, file.package, file.syntax) = (name, package, "proto3")
        content(&file)
        return file
    }

    /// - Parameter choice: the name of the message's one oneof.
    private static func message(
        _ name: String, _ fields: [Google_Protobuf_FieldDescriptorProto], choice: String? = nil
    ) -> Google_Protobuf_DescriptorProto {
        .with { message in
            (message.name, message.field) = (name, fields)
            if let choice { message.oneofDecl = [.with { $0.name = choice }] }
        }
    }

    private static func field(
        _ name: String, _ number: Int32, _ type: Google_Protobuf_FieldDescriptorProto.TypeEnum, isRepeated: Bool = false
    ) -> Google_Protobuf_FieldDescriptorProto {
        .with {
            ($0.name, $0.number, $0.type) = (name, number, type)
            $0.label = isRepeated ? .repeated : .optional
        }
    }

    private static func text(_ name: String, _ number: Int32) -> Google_Protobuf_FieldDescriptorProto {
        field(name, number, .string)
    }

    private static func number(_ name: String, _ number: Int32) -> Google_Protobuf_FieldDescriptorProto {
        field(name, number, .int32)
    }

    private static func message(
        _ name: String, _ number: Int32, of type: String, isRepeated: Bool = false
    ) -> Google_Protobuf_FieldDescriptorProto {
        var field = field(name, number, .message, isRepeated: isRepeated)
        field.typeName = type
        return field
    }

    /// A member of the message's one oneof.
    private static func chosen(_ field: Google_Protobuf_FieldDescriptorProto) -> Google_Protobuf_FieldDescriptorProto {
        var field = field
        field.oneofIndex = 0
        return field
    }

    private static func service(
        _ name: String, _ methods: [Google_Protobuf_MethodDescriptorProto]
    ) -> Google_Protobuf_ServiceDescriptorProto {
        .with { ($0.name, $0.method) = (name, methods) }
    }

    /// - Parameters:
    ///   - asks: whether the client sends a stream.
    ///   - answers: whether the server sends one.
    private static func method(
        _ name: String, _ input: String, _ output: String, asks: Bool = false, answers: Bool = false
    ) -> Google_Protobuf_MethodDescriptorProto {
        .with {
            ($0.name, $0.inputType, $0.outputType) = (name, input, output)
            if asks { $0.clientStreaming = true }
            if answers { $0.serverStreaming = true }
        }
    }
}
