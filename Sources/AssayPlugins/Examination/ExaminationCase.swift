package import AssayCore
import Crypto

/// One case of a plugin: a request, what the host knows, and the verdict that is right. `plugins/sdk/tests/README.md` describes the form.
package struct ExaminationCase: Sendable {
    package enum Verdict: Hashable, Sendable {
        /// Claims that must have these values; `nil`: must be absent.
        case accepted(claims: [String: JSONValue?])
        /// Each of these codes is right.
        case rejected(codes: [String])
        case unavailable
    }

    package let id: String
    /// As Configure is given it.
    package let configuration: [UInt8]
    package let request: PluginRequest
    package let world: ExaminationWorld
    package let expected: Verdict

    /// Reads a file of cases.
    ///
    /// - Returns: the name of the plugin that they are for, and the cases.
    package static func read(_ file: [UInt8]) throws(CaseError) -> (plugin: String, cases: [ExaminationCase]) {
        guard let value = try? JSONReader.parse(file[...], code: .malformed), case .object(let top) = value else {
            throw CaseError("is not a JSON object")
        }
        let reader = CaseReader(top, "")
        let plugin = try reader.text("plugin")
        var cases: [ExaminationCase] = []
        for (index, element) in try reader.list("cases").enumerated() {
            cases.append(try ExaminationCase(try CaseReader(element, "cases[\(index)]"), plugin: plugin))
        }
        return (plugin, cases)
    }

    private init(_ reader: CaseReader, plugin: String) throws(CaseError) {
        id = try reader.text("id")
        let reader = reader.named(id)
        configuration = try reader.object("configuration").text
        let app = try reader.text("app"), purpose = try reader.text("purpose")
        guard let app = AppID(app) else { throw reader.problem("app", "is no id of an app") }
        guard let purpose = Purpose.allCases.first(where: { $0.name == purpose }) else {
            throw reader.problem("purpose", "is none of \(Purpose.allCases.map(\.name).joined(separator: ", "))")
        }
        let format = EvidenceFormat(rawValue: try reader.text("format"))
        let time = Timestamp(unixMilliseconds: try reader.integer("now_unix_ms"))
        var request = PluginRequest(
            app: app, format: format, purpose: purpose, body: try reader.base64("body_b64"), now: time,
            ceiling: .secureElement)
        if let expected = try reader.section("expected") {
            request.clientData = try expected.base64("client_data_b64")
            request.payloadHash = try expected.optionalBase64("payload_sha256_b64") ?? []
            // As the daemon: the document is the payload, or is not shown.
            let signals = try expected.optionalBase64("signals_b64") ?? []
            if !signals.isEmpty, SHA256.bytes(of: signals) == request.payloadHash { request.signals = signals }
        }
        self.request = request
        world = try ExaminationWorld(try reader.section("world"), plugin: plugin, format: format, app: app)
        guard let expectation = try reader.section("expect") else { throw reader.problem("expect", "is missing") }
        expected = try Verdict(expectation)
    }
}

extension ExaminationCase.Verdict {
    fileprivate init(_ reader: CaseReader) throws(CaseError) {
        switch try reader.text("verdict") {
        case "ACCEPTED":
            var claims: [String: JSONValue?] = [:]
            for member in try reader.section("claims")?.object.members ?? [] {
                claims[String(decoding: member.name, as: UTF8.self)] = .some(member.value == .null ? nil : member.value)
            }
            self = .accepted(claims: claims)
        case "REJECTED":
            var codes: [String] = []
            for value in try reader.list("reasons") {
                guard case .string(let code) = value else { throw reader.problem("reasons", "has what is no text") }
                codes.append(String(decoding: code, as: UTF8.self))
            }
            self = .rejected(codes: codes)
        case "UNAVAILABLE": self = .unavailable
        default: throw reader.problem("verdict", "is none of ACCEPTED, REJECTED, UNAVAILABLE")
        }
    }
}

/// A file of cases is not of the form.
package struct CaseError: Error, CustomStringConvertible {
    /// The end of a sentence that begins with the file's path.
    package let description: String
    init(_ description: String) { self.description = description }
}

/// Reads the members of one object, and names what is wrong by its place.
struct CaseReader {
    let object: JSONObject
    private let place: String

    init(_ object: JSONObject, _ place: String) { (self.object, self.place) = (object, place) }

    init(_ value: JSONValue, _ place: String) throws(CaseError) {
        guard case .object(let object) = value else { throw CaseError("\(place): is no object") }
        self.init(object, place)
    }

    func named(_ id: String) -> CaseReader { CaseReader(object, "the case \"\(id)\"") }

    func problem(_ name: String, _ what: String) -> CaseError {
        CaseError((place.isEmpty ? "" : "\(place): ") + "\"\(name)\" \(what)")
    }

    private func required(_ name: String) throws(CaseError) -> JSONValue {
        guard let value = object[name.utf8] else { throw problem(name, "is missing") }
        return value
    }

    func text(_ name: String) throws(CaseError) -> String {
        guard case .string(let text) = try required(name) else { throw problem(name, "is no text") }
        return String(decoding: text, as: UTF8.self)
    }

    func integer(_ name: String) throws(CaseError) -> Int64 {
        guard case .number(let digits) = try required(name), let number = Int64(String(decoding: digits, as: UTF8.self)) else {
            throw problem(name, "is no integer")
        }
        return number
    }

    func optionalInteger(_ name: String) throws(CaseError) -> Int64? { object[name.utf8] == nil ? nil : try integer(name) }

    func base64(_ name: String) throws(CaseError) -> [UInt8] {
        guard let bytes = Self.base64(try text(name)) else { throw problem(name, "is no Base64") }
        return bytes
    }

    func optionalBase64(_ name: String) throws(CaseError) -> [UInt8]? { object[name.utf8] == nil ? nil : try base64(name) }

    func hex(_ name: String) throws(CaseError) -> [UInt8] {
        guard let bytes = Hex.decode(try text(name)) else { throw problem(name, "is no hexadecimal") }
        return bytes
    }

    func object(_ name: String) throws(CaseError) -> JSONValue {
        let value = try required(name)
        guard case .object = value else { throw problem(name, "is no object") }
        return value
    }

    /// Empty if there is none.
    func list(_ name: String) throws(CaseError) -> [JSONValue] {
        guard let value = object[name.utf8] else { return [] }
        guard case .array(let elements) = value else { throw problem(name, "is no list") }
        return elements
    }

    /// `nil` if there is none.
    func section(_ name: String) throws(CaseError) -> CaseReader? {
        guard let value = object[name.utf8], value != .null else { return nil }
        return try CaseReader(value, (place.isEmpty ? "" : "\(place): ") + "\"\(name)\"")
    }

    func sections(_ name: String) throws(CaseError) -> [CaseReader] {
        var readers: [CaseReader] = []
        for (index, value) in try list(name).enumerated() {
            readers.append(try CaseReader(value, "\(place): \(name)[\(index)]"))
        }
        return readers
    }

    /// Base64 of each text of a list.
    func base64List(_ name: String) throws(CaseError) -> [[UInt8]] {
        var list: [[UInt8]] = []
        for value in try self.list(name) {
            guard case .string(let text) = value, let bytes = Self.base64(String(decoding: text, as: UTF8.self)) else {
                throw problem(name, "has what is no Base64")
            }
            list.append(bytes)
        }
        return list
    }

    private static func base64(_ text: String) -> [UInt8]? { text.isEmpty ? [] : Base64.standard.decode(text) }
}
