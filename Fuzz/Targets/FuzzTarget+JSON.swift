import AssayCore

extension FuzzTarget {
    static func json(_ bytes: [UInt8]) {
        _ = try? JSONReader.parse(bytes[...], code: .malformedToken)
        _ = try? JSONReader.parseLenient(bytes[...], code: .malformedToken)
        guard let fields = try? JSONFields(parsing: bytes[...], code: .malformedToken) else { return }
        for member in fields.object.members {
            let name = String(decoding: member.name, as: UTF8.self)
            _ = try? fields.text(name)
            _ = try? fields.integer(name)
            _ = try? fields.texts(name)
            _ = try? fields.section(name)
        }
    }
}
