/// Why a file does not say who signs an app. A sentence's end, behind the file's name.
package enum SignerFileError: Error, Hashable, Sendable, CustomStringConvertible {
    /// It is none of the kinds that are read.
    case unknownKind
    /// It is of a kind that is read, and broken: what is read there, and what is wrong.
    case malformed(String)
    /// It is an archive that nothing signs.
    case unsigned
    /// It is a keystore whose certificates are encrypted.
    case encrypted(String)
    /// It is a keystore with several keys, and none was chosen.
    case severalKeys([String])
    /// It is a keystore without the key that was chosen.
    case unknownKey(String, [String])
    /// The operating system does not let it be read.
    case unreadable(String)

    package var description: String {
        switch self {
        case .unknownKind: "is neither an APK, nor a JKS keystore, nor a certificate in PEM or DER"
        case .malformed(let what): "is broken: \(what)"
        case .unsigned: "is an archive without a signature: sign it, or name its keystore or certificate"
        case .encrypted(let kind): "is a keystore (\(kind)) whose certificates are encrypted"
        case .severalKeys(let names): "is a keystore with several keys: \(Self.list(names))"
        case .unknownKey(let name, let names):
            "is a keystore without the key \"\(name)\"" + (names.isEmpty ? "" : ": it has \(Self.list(names))")
        case .unreadable(let why): why
        }
    }

    /// At most eight names, from a file that is not trusted.
    private static func list(_ names: [String]) -> String {
        names.prefix(8).map { String($0.prefix(64)) }.joined(separator: ", ") + (names.count > 8 ? ", and more" : "")
    }
}
