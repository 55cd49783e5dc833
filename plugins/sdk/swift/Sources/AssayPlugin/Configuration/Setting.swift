/// A value of the configuration, and where it stands. The readers report what is wrong with the path and a sentence and return a
/// stand-in, so that all problems come at once; a plugin with problems is thrown away.
public struct Setting {
    static let problemLimit = 100
    static let pathLimit = 160

    /// The value; `nil` if it is not given, `null` included.
    public let value: JSON?
    /// Where it stands, such as `secrets[2].id`. Empty for the whole configuration.
    public let path: String
    let problems: Problems

    final class Problems {
        var list: [(path: String, sentence: String)] = []
    }

    private init(_ value: JSON?, _ path: String, _ problems: Problems) {
        if case .null? = value { self.value = nil } else { self.value = value }
        self.path = Text.bounded(path, to: Self.pathLimit)
        self.problems = problems
    }

    /// The whole of a configuration: a JSON object.
    static func reading(_ document: [UInt8], _ problems: Problems) -> Setting {
        let whole: Setting
        do throws(JSON.Failure) {
            whole = Setting(try JSON(parsing: document), "", problems)
        } catch {
            whole = Setting(nil, "", problems)
            whole.report("the configuration is no JSON: at byte \(error.offset): \(error.reason)")
            return whole
        }
        if whole.value?.members == nil { whole.report("expected an object, found \(whole.value?.kindName ?? "null")") }
        return whole
    }

    public var isGiven: Bool { value != nil }

    /// Reports a problem: a sentence with what was expected and found, without secrets.
    public func report(_ sentence: String) {
        guard problems.list.count < Self.problemLimit else { return }
        problems.list.append((path, Text.sentence(sentence)))
    }

    /// A member of an object; not given if there is none.
    public subscript(name: String) -> Setting {
        Setting(value?[name], path.isEmpty ? name : "\(path).\(name)", problems)
    }

    /// Runs `read` if the setting is given: for settings without a default.
    public func ifGiven<T>(_ read: (Setting) throws -> T) rethrows -> T? {
        isGiven ? try read(self) : nil
    }

    /// Reads the JSON that a text holds, such as the content of a secret file, under this setting's path.
    public func document<T>(_ read: (Setting) throws -> T) rethrows -> T? {
        let text = text(sizes: 1...262_144)
        // Text that cannot be read was reported.
        guard !text.isEmpty else { return nil }
        let inner: Setting
        do throws(JSON.Failure) {
            inner = Setting(try JSON(parsing: Array(text.utf8)), path, problems)
        } catch {
            report("expected JSON: at byte \(error.offset): \(error.reason)")
            return nil
        }
        return try read(inner)
    }
}

// MARK: Lists and objects

extension Setting {
    /// Reads each element of a list.
    public func list<T>(_ counts: ClosedRange<Int>, _ read: (Setting) throws -> T) rethrows -> [T] {
        guard let value = given() else { return [] }
        guard let elements = value.elements else {
            report("expected a list, found \(value.kindName)")
            return []
        }
        guard counts.contains(elements.count) else {
            report("expected a list of \(counts.lowerBound) to \(counts.upperBound), found \(elements.count)")
            return []
        }
        return try elements.enumerated().map { try read(Setting($1, "\(path)[\($0)]", problems)) }
    }

    /// Reports a value that is no object, and members that are not among `names`.
    public func allowOnly(_ names: String...) {
        guard let value = given() else { return }
        guard let members = value.members else { return report("expected an object, found \(value.kindName)") }
        for member in members where !names.contains(where: { $0.hasBytes(of: member.name) }) {
            self[member.name].report("there is no such key; remove it")
        }
    }
}

// MARK: Values

extension Setting {
    /// Text of so many bytes, without NUL. Without a default it is required.
    public func text(sizes: ClosedRange<Int> = 1...1024, default standIn: String? = nil) -> String {
        guard let value = given(orDefault: standIn != nil) else { return standIn ?? "" }
        guard let text = value.text else { return reportKind("a string", value, "") }
        guard sizes.contains(text.utf8.count), !text.utf8.contains(0) else {
            // The value is not repeated: it may be a secret.
            report(
                "expected text of \(sizes.lowerBound) to \(sizes.upperBound) bytes without NUL, found \(text.utf8.count) bytes")
            return ""
        }
        return text
    }

    /// An integer. Without a default it is required.
    public func integer(in range: ClosedRange<Int64>, default standIn: Int64? = nil) -> Int64 {
        guard let value = given(orDefault: standIn != nil) else { return standIn ?? range.lowerBound }
        guard case .number(let text) = value else { return reportKind("a number", value, range.lowerBound) }
        guard let integer = value.integer, range.contains(integer) else {
            report("expected an integer from \(range.lowerBound) to \(range.upperBound), found \(text.prefix(32))")
            return range.lowerBound
        }
        return integer
    }

    /// True or false. Without a default it is required.
    public func boolean(default standIn: Bool? = nil) -> Bool {
        guard let value = given(orDefault: standIn != nil) else { return standIn ?? false }
        return value.boolean ?? reportKind("a boolean", value, false)
    }

    /// A case of `type` by its raw value. Without a default it is required.
    public func choice<T: RawRepresentable & CaseIterable>(of type: T.Type, default standIn: T? = nil) -> T?
    where T.RawValue == String {
        guard let value = given(orDefault: standIn != nil) else { return standIn }
        if let found = T.allCases.first(where: { value.spells($0.rawValue) }) { return found }
        report("expected one of \(T.allCases.map(\.rawValue).joined(separator: ", "))")
        return nil
    }

    /// So many bytes as hex digits. Without them it is required; the value is never repeated in a sentence.
    public func hex(size: Int) -> [UInt8] {
        guard let value = given() else { return [] }
        guard let text = value.text else { return reportKind("a string", value, []) }
        guard let bytes = Bytes.hex(text), bytes.count == size else {
            report("expected \(size) bytes as \(2 * size) hex digits, found \(text.utf8.count) characters")
            return []
        }
        return bytes
    }

    /// The value; reports a missing one unless there is a default.
    private func given(orDefault hasDefault: Bool = false) -> JSON? {
        if value == nil, !hasDefault { report("this key is required, and not given") }
        return value
    }

    private func reportKind<T>(_ expected: String, _ found: JSON, _ standIn: T) -> T {
        report("expected \(expected), found \(found.kindName)")
        return standIn
    }
}
