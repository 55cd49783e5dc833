import AssayCore
import Testing

@Suite("Secrets of preparations")
struct PreparationSecretsTests {
    private static let format = EvidenceFormat(rawValue: "example.two-steps")
    private static let expiry = Timestamp(unixMilliseconds: 1_800_000_000_000)
    private let secrets = PreparationSecrets(root: [UInt8](repeating: 7, count: 32))
    private let bank: AppID
    private let shop: AppID

    init() throws { (bank, shop) = (try #require(AppID("bank")), try #require(AppID("shop"))) }

    @Test("are the same wherever the root is the same, and 32 bytes")
    func same() {
        let one = secrets.secret(of: Self.format, app: bank, context: [1, 2], expiry: Self.expiry)
        let again = PreparationSecrets(root: [UInt8](repeating: 7, count: 32))
        #expect(one.count == PreparationSecrets.length)
        #expect(again.secret(of: Self.format, app: bank, context: [1, 2], expiry: Self.expiry) == one)
        #expect(again.isSecret(one[...], of: Self.format, app: bank, context: [1, 2], expiry: Self.expiry))
    }

    @Test("differ between roots, apps, formats, contexts and ends, and are recognised for their own alone")
    func different() {
        let other = PreparationSecrets(root: [UInt8](repeating: 8, count: 32))
        let later = Self.expiry.adding(milliseconds: 1)
        let made: [[UInt8]] = [
            secrets.secret(of: Self.format, app: bank, context: [1, 2], expiry: Self.expiry),
            other.secret(of: Self.format, app: bank, context: [1, 2], expiry: Self.expiry),
            secrets.secret(of: Self.format, app: shop, context: [1, 2], expiry: Self.expiry),
            secrets.secret(of: .keySignature, app: bank, context: [1, 2], expiry: Self.expiry),
            secrets.secret(of: Self.format, app: bank, context: [1, 3], expiry: Self.expiry),
            secrets.secret(of: Self.format, app: bank, context: [], expiry: Self.expiry),
            secrets.secret(of: Self.format, app: bank, context: [1, 2], expiry: later),
        ]
        #expect(Set(made).count == made.count)
        let recognised = made.map {
            secrets.isSecret($0, of: Self.format, app: bank, context: [1, 2], expiry: Self.expiry)
        }
        #expect(recognised == [true] + [Bool](repeating: false, count: made.count - 1))
    }

    @Test("that were cut, lengthened or changed are none")
    func damaged() {
        let secret = secrets.secret(of: Self.format, app: bank, context: [1], expiry: Self.expiry)
        var changed = secret
        changed[31] ^= 0x80
        for given in [[], Array(secret.dropLast()), secret + [0], changed] {
            #expect(!secrets.isSecret(given, of: Self.format, app: bank, context: [1], expiry: Self.expiry), "\(given.count)")
        }
    }
}
