/// Text with places for values of the device record: `{app}`, `{device}`, `{serial}`, `{family}`, and in URLs `{ca}`.
package struct NameTemplate: Hashable, Sendable {
    package enum Place: String, CaseIterable, Hashable, Sendable {
        case app
        /// `dev_` and 32 hex digits.
        case device
        /// The serial number that a fleet's manufacturer gave.
        case serial
        case family
        /// The name of the CA in the configuration.
        case ca
    }

    private enum Part: Hashable, Sendable {
        case text(String)
        case place(Place)
    }
    private let parts: [Part]
    /// As it was read.
    package let text: String

    /// Throws a sentence about the text.
    package init(_ text: String) throws(NameTemplateError) {
        var parts: [Part] = []
        var rest = Substring(text)
        while !rest.isEmpty {
            let plain = rest.prefix { $0 != "{" && $0 != "}" }
            if !plain.isEmpty { parts.append(.text(String(plain))) }
            rest = rest.dropFirst(plain.count)
            guard let brace = rest.first else { break }
            guard brace == "{", let end = rest.firstIndex(of: "}") else { throw NameTemplateError(.unbalanced) }
            let name = rest[rest.index(after: rest.startIndex)..<end]
            guard let place = Place(rawValue: String(name)) else { throw NameTemplateError(.unknown(String(name))) }
            parts.append(.place(place))
            rest = rest[rest.index(after: end)...]
        }
        (self.parts, self.text) = (parts, text)
    }

    package var places: Set<Place> {
        Set(parts.compactMap { if case .place(let place) = $0 { place } else { nil } })
    }

    /// Throws `.impossible` if a value is missing: only a fleet's devices have a serial number and a family.
    package func filled(_ names: DeviceNames) throws(AuthorityError) -> String {
        if parts.count == 1, case .place(let place) = parts[0] { return try names.value(at: place) }
        var text = ""
        for part in parts {
            switch part {
            case .text(let plain): text += plain
            case .place(let place): text += try names.value(at: place)
            }
        }
        return text
    }

    /// As a URI: bytes of values other than unreserved characters are percent-encoded (RFC 3986 §2.1), and the result is visible ASCII behind a
    /// scheme.
    package func filledURI(_ names: DeviceNames) throws(AuthorityError) -> String {
        var uri = ""
        for part in parts {
            switch part {
            case .text(let plain): uri += plain
            case .place(let place): uri += Self.percentEncoded(try names.value(at: place))
            }
        }
        let scheme = uri.utf8.prefix { $0 != UInt8(ascii: ":") }
        guard uri.utf8.count <= 2048, uri.utf8.allSatisfy({ (0x21...0x7E).contains($0) }), scheme.count < uri.utf8.count,
            let first = scheme.first, Self.isLetter(first),
            scheme.allSatisfy({ Self.isLetter($0) || Self.isDigit($0) || "+-.".utf8.contains($0) })
        else { throw .impossible("\"\(uri.prefix(80))\" is not a URI of visible ASCII") }
        return uri
    }

    private static func percentEncoded(_ text: String) -> String {
        // Most values are.
        guard !text.utf8.allSatisfy(isUnreserved) else { return text }
        var encoded: [UInt8] = []
        encoded.reserveCapacity(text.utf8.count)
        for byte in text.utf8 {
            if isUnreserved(byte) {
                encoded.append(byte)
            } else {
                encoded.append(UInt8(ascii: "%"))
                encoded += Hex.encode([byte]).uppercased().utf8
            }
        }
        return String(decoding: encoded, as: UTF8.self)
    }

    /// Why no URI comes of it whatever the values are; `nil` if one does.
    package var uriProblem: String? {
        do throws(AuthorityError) { _ = try filledURI(.shortest) } catch { return "not a URI of visible ASCII with a scheme" }
        return nil
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        isLetter(byte) || isDigit(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
            || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "~")
    }
    private static func isLetter(_ byte: UInt8) -> Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) }
    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}

/// The values of a device for the places of templates; `nil`: it has none.
package struct DeviceNames: Hashable, Sendable {
    package var app: String?
    package var device: String?
    package var serial: String?
    package var family: String?
    package var ca: String?

    package init(
        app: String? = nil, device: String? = nil, serial: String? = nil, family: String? = nil, ca: String? = nil
    ) {
        (self.app, self.device, self.serial, self.family, self.ca) = (app, device, serial, family, ca)
    }

    /// One character for each.
    package static let shortest = DeviceNames(app: "x", device: "x", serial: "x", family: "x", ca: "x")

    fileprivate func value(at place: NameTemplate.Place) throws(AuthorityError) -> String {
        let value =
            switch place {
            case .app: app
            case .device: device
            case .serial: serial
            case .family: family
            case .ca: ca
            }
        guard let value else { throw .impossible("the device has no value for {\(place.rawValue)}") }
        return value
    }
}

/// Literals are the program's own: a malformed one is a mistake of the programmer.
extension NameTemplate: ExpressibleByStringLiteral {
    package init(stringLiteral text: String) {
        do throws(NameTemplateError) { try self.init(text) } catch { preconditionFailure("\(text): \(error)") }
    }
}

/// Why a text is no template.
package struct NameTemplateError: Error, Hashable, Sendable, CustomStringConvertible {
    enum Problem: Hashable, Sendable {
        case unbalanced
        case unknown(String)
    }
    let problem: Problem
    init(_ problem: Problem) { self.problem = problem }

    package var description: String {
        switch problem {
        case .unbalanced: "a brace without its partner"
        case .unknown(let name): "{\(name)} is no value of a device"
        }
    }
}
