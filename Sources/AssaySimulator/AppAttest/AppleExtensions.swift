import AssayEncoding

/// Apple's extensions of a credential certificate, as in genuine samples. A verifier of iOS devices uses only the nonce; the
/// others are present so that tests resemble real input.
enum AppleExtensions {
    /// 1.2.840.113635.100.8.5.
    static func keyFacts(_ phone: VirtualPhone) -> CertificateBuilder.Extension {
        let recent = phone.reportsExtensions
        var parts = [number(4, 10)] + [1200, 1201, 1202, 1203].map { number($0, 0) }
        parts.append(text(1204, phone.appID))
        if !recent { parts.append(text(5, "sks ")) }
        parts.append(number(1206, recent ? 4 : 5))
        parts += [1207, 1209, 1210, 1211].map { number($0, 0) }
        if recent { parts.append(number(10, 0)) }
        return .init(ExtensionName.appleKeyFacts, DERWriter.sequence(parts))
    }

    /// 1.2.840.113635.100.8.7. The OS version is in [1400].
    static func platformFacts(_ phone: VirtualPhone) -> CertificateBuilder.Extension {
        let build = "0SIM0"
        var parts = [text(1400, phone.osVersion), number(1104, phone.reportsExtensions ? 2 : 4_294_967_295)]
        if phone.reportsExtensions { parts.append(text(1401, "1.0.216")) }
        parts += [text(1403, build), text(1404, phone.osVersion), text(1405, phone.osVersion)]
        parts += (1406...1413).map { number($0, $0 == 1412 ? 1 : 0) }
        parts += (1418...1420).map { text($0, "0.0.0.0.0,0") }
        parts.append(text(1026, phone.platform == .iOS ? "iphoneos" : "macosx"))
        return .init(ExtensionName.applePlatformFacts, DERWriter.sequence(parts))
    }

    /// 1.2.840.113635.100.8.6: present on a Mac, and on iOS since 27 with another list.
    static func accessControl(_ phone: VirtualPhone) -> CertificateBuilder.Extension? {
        switch phone.platform {
        case .macOS: accessControl(macList)
        case .iOS: phone.reportsExtensions ? accessControl(iOSList) : nil
        }
    }

    static func accessControl(_ list: [UInt8]) -> CertificateBuilder.Extension {
        .init(
            ExtensionName.appleAccessControl,
            DERWriter.sequence([DERWriter.context(3, [DERWriter.octetString(list)])]))
    }

    /// The list of a Mac with System Integrity Protection and Full Security, 66 octets: the only value that Apple documents.
    static let macList = accessList([
        granted("ok"), granted("oa"), granted("odel"),
        DERWriter.sequence([
            DERWriter.utf8String("osgn"), DERWriter.context(0, [DERWriter.utf8String("rsec")]),
            DERWriter.sequence([DERWriter.context(6, [DERWriter.integer(1)])]),
        ]),
    ])

    /// The list of an iPhone with iOS 27, 69 octets.
    static let iOSList = accessList(["okd", "oa", "osgn", "odel", "ock"].map(granted))

    private static func accessList(_ operations: [[UInt8]]) -> [UInt8] {
        DERWriter.sequence([DERWriter.utf8String("11"), DERWriter.sequence(operations)])
    }

    private static func granted(_ operation: String) -> [UInt8] {
        DERWriter.sequence([DERWriter.utf8String(operation), DERWriter.context(1, [DERWriter.boolean(true)])])
    }

    private static func number(_ tag: Int, _ value: UInt64) -> [UInt8] { DERWriter.context(tag, [DERWriter.integer(value)]) }

    private static func text(_ tag: Int, _ value: String) -> [UInt8] {
        DERWriter.context(tag, [DERWriter.octetString(Array(value.utf8))])
    }
}
