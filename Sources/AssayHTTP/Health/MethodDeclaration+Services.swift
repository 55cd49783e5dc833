package import AssayAPI

extension MethodDeclaration {
    /// The full protobuf names of the services of all methods, such as `assay.v1.Attestation`, each once, in the order of their first methods.
    package static let declaredServices: [String] = {
        var names: [String] = []
        for method in all {
            let name = String(method.path.dropFirst().prefix { $0 != "/" })
            if !names.contains(name) { names.append(name) }
        }
        return names
    }()
}
