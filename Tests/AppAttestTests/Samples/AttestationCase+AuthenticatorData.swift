import AppAttest
import AssayCore
import AssayEncoding
import AssaySimulator

extension AttestationCase {
    private static func app(_ appID: String) -> (inout AttestationCase) -> Void {
        { $0.phone = Sample.phone(appID: appID) }
    }

    private static func environment(
        _ phone: VirtualPhone.Environment, allowed: Set<AppAttestEnvironment>
    ) -> (inout AttestationCase) -> Void {
        {
            $0.phone = Sample.phone(environment: phone)
            $0.identities = [Sample.identity(environments: allowed)]
        }
    }

    private static func aaguid(_ text: String) -> AttestationChanges {
        .genuine.authenticatorData { $0.credential?.aaguid = Array(text.utf8) }
    }

    private static func length(_ stated: UInt16) -> AttestationChanges {
        .genuine.authenticatorData { $0.credential?.statedLength = stated }
    }

    private static func key(_ change: @escaping @Sendable (inout CBORMap) -> Void) -> AttestationChanges {
        .genuine.authenticatorData { data in
            guard var map = data.credential?.publicKey else { return }
            change(&map)
            data.credential?.publicKey = map
        }
    }

    private static func cut(_ count: Int) -> AttestationCase {
        .init(
            33, "authenticator data of \(count) bytes", .malformedAuthData,
            .genuine.authenticatorBytes { $0 = Array($0.prefix(count)) })
    }

    /// Rows 25 to 33: the fields of the authenticator data, certified with their changes.
    static let authenticatorData: [AttestationCase] =
        [
            .init(25, "another bundle", .appIDMismatch, .genuine, app("TEAMID1234.com.example.other")),
            .init(25, "another team", .appIDMismatch, .genuine, app("TEAMID9999.com.example.app")),
            .init(25, "another case", .appIDMismatch, .genuine, app("TEAMID1234.com.example.App")),
            .init(25, "an App Clip under its own id", .appIDMismatch, .genuine, app("TEAMID1234.com.example.app.Clip")),
            .init(25, "no app configured", .appIDMismatch) { $0.identities = [] },
            .init(26, "no flags", .flagsInvalid, .genuine.authenticatorData { $0.flags = 0x00 }),
            .init(26, "ED alone", .flagsInvalid, .genuine.authenticatorData { $0.flags = 0x80 }),
            .init(26, "all flags but AT", .flagsInvalid, .genuine.authenticatorData { $0.flags = 0xBF }),
            .init(27, "counter 1", .counterNotZero, .genuine.authenticatorData { $0.signCount = 1 }),
            .init(27, "counter 2^32 - 1", .counterNotZero, .genuine.authenticatorData { $0.signCount = .max }),
            .init(
                28, "development where production is wanted", .environmentMismatch,
                .genuine, environment(.development, allowed: [.production])),
            .init(
                28, "production where development is wanted", .environmentMismatch,
                .genuine, environment(.production, allowed: [.development])),
            .init(28, "no environment allowed", .environmentMismatch, .genuine, environment(.production, allowed: [])),
            .init(29, "appattestsandbox", .environmentMismatch, aaguid("appattestsandbox")),
            .init(29, "an AAGUID of zeros", .environmentMismatch, aaguid(String(repeating: "\0", count: 16))),
            .init(29, "appattest and spaces", .environmentMismatch, aaguid("appattest       ")),
            .init(30, "a credential id of 31 bytes by its length", .malformedAuthData, length(31)),
            .init(30, "a credential id of 33 bytes by its length", .malformedAuthData, length(33)),
            .init(30, "a credential id of no bytes", .malformedAuthData, length(0)),
            .init(30, "a credential id of 65535 bytes", .malformedAuthData, length(.max)),
            .init(
                31, "another credential id", .credentialIDMismatch,
                .genuine.authenticatorData { $0.credential?.id = [UInt8](repeating: 3, count: 32) }),
            .init(
                32, "the key of another point", .credentialKeyMismatch,
                .genuine.authenticatorData {
                    $0.credential?.publicKey = AuthenticatorDataDraft.coseKey(point: TestSigningKey(.p256).publicPoint)
                }),
            .init(32, "another algorithm", .credentialKeyMismatch, key { $0.entries[1].value = CBORWriter.integer(-35) }),
            .init(32, "another key type", .credentialKeyMismatch, key { $0.entries[0].value = CBORWriter.integer(1) }),
            .init(32, "another curve", .credentialKeyMismatch, key { $0.entries[2].value = CBORWriter.integer(2) }),
            .init(32, "no y", .credentialKeyMismatch, key { $0.entries.removeLast() }),
            .init(32, "an entry more", .credentialKeyMismatch, key { $0.append(4, CBORWriter.array([])) }),
            .init(
                32, "another entry in the place of the algorithm", .credentialKeyMismatch,
                key { $0.entries[1].key = CBORWriter.integer(4) }),
            .init(32, "y as a sign bit", .credentialKeyMismatch, key { $0.entries[4].value = [0xF5] }),
            .init(
                32, "x without its first byte", .credentialKeyMismatch,
                key { $0.entries[3].value = CBORWriter.bytes([UInt8](repeating: 1, count: 31)) }),
            .init(32, "x and y exchanged", .credentialKeyMismatch, key { $0.entries.swapCoordinates() }),
            .init(32, "a text for a label", .credentialKeyMismatch, key { $0.entries[0].key = CBORWriter.text("1") }),
            .init(32, "a label twice", .malformedAuthData, key { $0.entries[1] = $0.entries[0] }),
            .init(32, "a key of indefinite length", .malformedAuthData, key { $0.indefinite = true }),
            .init(
                32, "a label in more bytes than it needs", .malformedAuthData,
                key { $0.entries[0].key = CBORWriter.integer(1, width: .one) }),
            .init(32, "entries in another order", nil, key { $0.entries.reverse() }),
        ] + [0, 1, 31, 32, 36, 37, 52, 53, 54, 55, 86, 87, 120, 163].map(cut)
}

extension [CBORMap.Entry] {
    fileprivate mutating func swapCoordinates() {
        (self[3].value, self[4].value) = (self[4].value, self[3].value)
    }
}
