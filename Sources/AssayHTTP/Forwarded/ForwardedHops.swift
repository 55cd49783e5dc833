/// The hops that a header names, from the last one, which the peer itself appended, to the first one, which anyone may have written.
///
/// Nothing left of the hop that is read is looked at: what a client has sent cannot change how the hop of a proxy behind it is read.
struct ForwardedHops {
    enum Form: Sendable {
        /// `Forwarded` (RFC 7239).
        case forwarded
        /// `X-Forwarded-For`: addresses, which may have a port, with commas between them.
        case forwardedFor
    }

    enum Hop: Hashable, Sendable {
        case address(NumericAddress)
        /// Hidden on purpose (`unknown`, `_name`), not given, or not written as the header demands.
        case nameless
    }

    private let form: Form
    /// The values of the header's lines that were not read completely.
    private var lines: ArraySlice<String>
    /// What is left of the line that is read.
    private var rest: ArraySlice<UInt8>?

    /// - Parameter lines: the values of the header's lines, in the order in which they arrived.
    init(_ lines: [String], _ form: Form) { (self.lines, self.form) = (lines[...], form) }

    /// The hop before the one that was read last; `nil` if there is none.
    mutating func next() -> Hop? {
        guard let line = rest ?? lines.popLast().map({ ArraySlice($0.utf8) }) else { return nil }
        switch form {
        case .forwardedFor:
            let comma = line.lastIndex(of: UInt8(ascii: ","))
            rest = comma.map { line[..<$0] }
            return Self.hop(NodeName(unquoted: line[(comma.map { $0 + 1 } ?? line.startIndex)...].trimmed))
        case .forwarded:
            guard let start = Self.lastElement(of: line) else {
                // The line has no beginning of its last element: what stands before it is not known either.
                (rest, lines) = (nil, [])
                return .nameless
            }
            rest = start > line.startIndex ? line[..<(start - 1)] : nil
            return Self.hop(ForwardedElement(line[start...])?.node)
        }
    }

    private static func hop(_ name: NodeName?) -> Hop {
        if case .address(let address)? = name { .address(address) } else { .nameless }
    }

    /// Where the last element of a list begins: after the last comma that stands in no quoted string. `nil` if a quoted string has no beginning.
    private static func lastElement(of line: ArraySlice<UInt8>) -> Int? {
        var at = line.endIndex
        while at > line.startIndex {
            switch line[at - 1] {
            case UInt8(ascii: ","): return at
            case UInt8(ascii: "\""):
                guard let opening = Self.opening(of: line[..<(at - 1)]) else { return nil }
                at = opening
            default: at -= 1
            }
        }
        return line.startIndex
    }

    /// The quotation mark that begins the quoted string whose content ends at the end of `line`: the last one without a backslash of its own.
    private static func opening(of line: ArraySlice<UInt8>) -> Int? {
        var content = line
        while let mark = content.lastIndex(of: UInt8(ascii: "\"")) {
            let before = content[..<mark]
            let backslashes = before.reversed().prefix { $0 == UInt8(ascii: "\\") }.count
            if backslashes.isMultiple(of: 2) { return mark }
            content = before
        }
        return nil
    }
}

/// One element of `Forwarded`: pairs of a name and a value, with semicolons between them (RFC 7239 §4).
private struct ForwardedElement {
    /// The value of `for`; `nil`: there is none.
    private(set) var node: NodeName?

    /// `nil` for bytes that are none, and if `for` stands there twice.
    init?(_ bytes: ArraySlice<UInt8>) {
        var rest = bytes.trimmed
        var hasNode = false
        while !rest.isEmpty {
            let name = rest.prefix { $0.isTokenByte }
            rest = rest.dropFirst(name.count)
            guard !name.isEmpty, rest.popFirst() == UInt8(ascii: "="), let value = Self.value(&rest) else { return nil }
            if name.elementsEqual("for".utf8, by: { $0.lowercased == $1 }) {
                guard !hasNode else { return nil }
                (hasNode, node) = (true, NodeName(value))
            }
            rest = rest.trimmed
            guard let separator = rest.popFirst() else { break }
            guard separator == UInt8(ascii: ";") else { return nil }
            rest = rest.trimmed
        }
    }

    /// A token or a quoted string (RFC 9110 §5.6.2, §5.6.4), without its quotation marks and backslashes.
    private static func value(_ rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard rest.first == UInt8(ascii: "\"") else {
            let token = rest.prefix { $0.isTokenByte }
            rest = rest.dropFirst(token.count)
            return token.isEmpty ? nil : token
        }
        rest = rest.dropFirst()
        var content: [UInt8] = []
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "\""): return content[...]
            case UInt8(ascii: "\\"):
                guard let escaped = rest.popFirst() else { return nil }
                content.append(escaped)
            default: content.append(byte)
            }
        }
        return nil
    }
}

/// The name of a hop: an address, or something that hides it (RFC 7239 §6).
private enum NodeName {
    case address(NumericAddress)
    case hidden

    /// Reads `192.0.2.43`, `[2001:db8::1]`, both also with a port, `unknown` and `_name`. `nil` for anything else.
    init?(_ text: ArraySlice<UInt8>) {
        if text.first == UInt8(ascii: "[") {
            guard let end = text.firstIndex(of: UInt8(ascii: "]")), Self.isPort(text[(end + 1)...]) else { return nil }
            let inner = text[..<end].dropFirst()
            guard inner.contains(UInt8(ascii: ":")), let address = NumericAddress(inner) else { return nil }
            self = .address(address)
            return
        }
        let host = text.prefix { $0 != UInt8(ascii: ":") }
        guard Self.isPort(text[host.endIndex...]) else { return nil }
        if let address = NumericAddress(host) {
            self = .address(address)
        } else if host.elementsEqual("unknown".utf8, by: { $0.lowercased == $1 }) || Self.isObfuscated(host) {
            self = .hidden
        } else {
            return nil
        }
    }

    /// The same, and an IPv6 address without brackets, which `X-Forwarded-For` has.
    init?(unquoted text: ArraySlice<UInt8>) {
        if let address = NumericAddress(text) {
            self = .address(address)
        } else {
            self.init(text)
        }
    }

    /// Nothing, or a colon and a port: at most five digits, or an obfuscated one.
    private static func isPort(_ text: ArraySlice<UInt8>) -> Bool {
        guard let colon = text.first else { return true }
        let port = text.dropFirst()
        return colon == UInt8(ascii: ":")
            && ((1...5).contains(port.count) && port.allSatisfy { $0.isDigit } || isObfuscated(port))
    }

    private static func isObfuscated(_ text: ArraySlice<UInt8>) -> Bool {
        text.first == UInt8(ascii: "_") && text.count > 1
            && text.allSatisfy {
                $0.isDigit || $0.isLetter || [UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-")].contains($0)
            }
    }
}

extension ArraySlice<UInt8> {
    /// Without the spaces and tabs at both ends.
    fileprivate var trimmed: ArraySlice<UInt8> {
        func isSpace(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
        let left = drop(while: isSpace)
        return left.prefix(left.count - left.reversed().prefix(while: isSpace).count)
    }
}

extension UInt8 {
    fileprivate var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
    fileprivate var isLetter: Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(lowercased) }
    fileprivate var lowercased: UInt8 { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) ? self + 32 : self }
    /// RFC 9110 §5.6.2.
    fileprivate var isTokenByte: Bool { isDigit || isLetter || "!#$%&'*+-.^_`|~".utf8.contains(self) }
}
