import Crypto
import Testing

@testable import AssayCore

@Suite("Key tables")
struct KeyTablesTests {
    /// A key as docs/reference/plugin-protocol.md defines it, by the library.
    private static func expected(_ master: [UInt8], _ index: Int) -> [UInt8] {
        derived(master, [0, 0, UInt8(index >> 8), UInt8(index & 0xFF)] + Array("Birthmark".utf8))
    }

    private static func derived(_ material: [UInt8], _ info: [UInt8]) -> [UInt8] {
        let key = HKDF<SHA256>.deriveKey(inputKeyMaterial: SymmetricKey(data: material), info: info, outputByteCount: 32)
        return key.withUnsafeBytes { [UInt8]($0) }
    }

    @Test("Every key of a table is the one that the library derives, alone and in the table")
    func keys() throws {
        for number in [UInt16(0), 7, 2499] {
            let master = (0..<32).map { UInt8(truncatingIfNeeded: $0 &* 5 &+ Int(number)) }
            let tables = KeyTables(masters: [number: master])
            let table = try #require(tables.table(number))
            #expect(table.number == number && table.keys.count == KeyTables.keyCount * KeyTables.keyLength)
            for index in 0..<KeyTables.keyCount {
                let expected = Self.expected(master, index)
                let start = index * KeyTables.keyLength
                #expect(Array(table.keys[start..<start + KeyTables.keyLength]) == expected)
                let key = try #require(tables.key(table: number, index: UInt16(index)))
                #expect(key.withUnsafeBytes { [UInt8]($0) } == expected)
            }
        }
    }

    @Test("A table without a master has no keys, and neither has an index beyond a table")
    func missing() {
        let tables = KeyTables(masters: [7: [UInt8](repeating: 1, count: 32)])
        #expect(tables.table(8) == nil && tables.key(table: 8, index: 0) == nil)
        #expect(tables.key(table: 7, index: 999) != nil && tables.key(table: 7, index: 1000) == nil)
    }

    @Test("The secrets of an app are derived from the root as the library derives them")
    func secrets() throws {
        let root = (0..<32).map { UInt8($0) }
        let app = try #require(AppID("camera"))
        let secrets = FleetSecrets(root: root, app: app)
        func derived(_ what: String, _ number: UInt64) -> [UInt8] {
            var info = FieldDigest(what)
            info.append(app.text)
            info.append(number)
            return Self.derived(root, info.finalize())
        }
        for table in [0, 1, 1234, 2499] {
            let master = derived("assay.fleet.table.v1", UInt64(table))
            let keys = try #require(secrets.tables.table(UInt16(table))).keys
            #expect(Array(keys.prefix(32)) == Self.expected(master, 0) && Array(keys.suffix(32)) == Self.expected(master, 999))
        }
        var fields = FieldDigest("assay.fleet.secret.v1")
        fields.append(app.text)
        fields.append(root)
        let hashKey = SymmetricKey(data: derived("assay.fleet.hash.v1", 0))
        let code = HMAC<SHA256>.authenticationCode(for: fields.finalize(), using: hashKey)
        #expect(secrets.keyID(ofSecret: root, app: app) == Array(code))
    }
}
