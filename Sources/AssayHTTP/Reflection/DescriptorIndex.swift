import AssayAPI
import SwiftProtobuf

/// Where declarations of .proto files stand, by their names as bytes.
struct DescriptorIndex: Sendable {
    /// Of the API, of health and of reflection itself. Built once.
    static let current = DescriptorIndex(APISchema.current.files + StandardDescriptors.files)

    /// Serialised `google.protobuf.FileDescriptorProto`s.
    let files: [[UInt8]]
    /// For each file its position, and then those of all files that it imports, over any number of steps, each once.
    private let imports: [[Int]]
    private let positions: [[UInt8]: Int]
    private let symbols: [[UInt8]: Int]
    private let messages: Set<[UInt8]>

    /// - Parameter files: serialised `google.protobuf.FileDescriptorProto`s. Bytes that are none are left out.
    init(_ files: [[UInt8]]) {
        var declarations = Declarations()
        var (kept, descriptors): ([[UInt8]], [Google_Protobuf_FileDescriptorProto]) = ([], [])
        for bytes in files {
            guard let descriptor = try? Google_Protobuf_FileDescriptorProto(serializedBytes: bytes) else { continue }
            declarations.add(descriptor, at: kept.count)
            kept.append(bytes)
            descriptors.append(descriptor)
        }
        let positions = Dictionary(
            descriptors.enumerated().map { (Array($1.name.utf8), $0) }, uniquingKeysWith: { first, _ in first })
        let direct = descriptors.map { file in file.dependency.compactMap { positions[Array($0.utf8)] } }
        (self.files, self.positions) = (kept, positions)
        imports = kept.indices.map { Self.closure(of: $0, direct) }
        (symbols, messages) = (declarations.symbols, declarations.messages)
    }

    private static func closure(of file: Int, _ direct: [[Int]]) -> [Int] {
        var found = [file]
        var next = 0
        while next < found.count {
            for imported in direct[found[next]] where !found.contains(imported) { found.append(imported) }
            next += 1
        }
        return found
    }

    /// The file of that name and those that it imports; `nil` if there is none.
    func files(named name: [UInt8]) -> [[UInt8]]? { positions[name].map(files(from:)) }

    /// The file that declares a symbol and those that it imports; `nil` if there is none.
    ///
    /// - Parameter symbol: a full name without a dot before it, of a message, a field, a oneof, an enumeration, one of its values, a service or a
    ///   method.
    func files(containing symbol: [UInt8]) -> [[UInt8]]? { symbols[symbol].map(files(from:)) }

    func isMessage(_ name: [UInt8]) -> Bool { messages.contains(name) }

    private func files(from file: Int) -> [[UInt8]] { imports[file].map { files[$0] } }
}

/// The names that files declare.
private struct Declarations {
    private(set) var symbols: [[UInt8]: Int] = [:]
    private(set) var messages: Set<[UInt8]> = []

    mutating func add(_ descriptor: Google_Protobuf_FileDescriptorProto, at file: Int) {
        for message in descriptor.messageType { add(message, in: descriptor.package, at: file) }
        for enumeration in descriptor.enumType { add(enumeration, in: descriptor.package, at: file) }
        for service in descriptor.service {
            let name = add(service.name, in: descriptor.package, at: file)
            for method in service.method { add(method.name, in: name, at: file) }
        }
    }

    private mutating func add(_ message: Google_Protobuf_DescriptorProto, in scope: String, at file: Int) {
        let name = add(message.name, in: scope, at: file)
        messages.insert(Array(name.utf8))
        for field in message.field { add(field.name, in: name, at: file) }
        for choice in message.oneofDecl { add(choice.name, in: name, at: file) }
        for nested in message.nestedType { add(nested, in: name, at: file) }
        for nested in message.enumType { add(nested, in: name, at: file) }
    }

    /// The values of an enumeration stand beside it and not in it, as in C++.
    private mutating func add(_ enumeration: Google_Protobuf_EnumDescriptorProto, in scope: String, at file: Int) {
        add(enumeration.name, in: scope, at: file)
        for value in enumeration.value { add(value.name, in: scope, at: file) }
    }

    /// Returns the full name.
    @discardableResult
    private mutating func add(_ name: String, in scope: String, at file: Int) -> String {
        let full = scope.isEmpty ? name : "\(scope).\(name)"
        symbols[Array(full.utf8)] = file
        return full
    }
}
