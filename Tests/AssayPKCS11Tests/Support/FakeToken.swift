import AssayCore
import AssayPKCS11
import Crypto
import FakePKCS11
import Foundation
import Synchronization
import Testing

/// The fake module, its PIN file, and tokens on it.
final class FakeToken: Sendable {
    static let privateKey = P256.Signing.PrivateKey()
    static let publicKey = TokenPublicKey(curve: .p256, point: Array(privateKey.publicKey.x963Representation))
    static let key = KeySelector(label: "ca")

    let folder: URL
    var pinFile: String { folder.appending(path: "pin").path() }

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "assay-pkcs11-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        fake_reset(Array(Self.privateKey.publicKey.x963Representation)) { digest, signature in
            sign(digest, signature, FakeToken.privateKey)
        }
        try writePIN("2468")
    }

    /// The next test starts without sessions and without a call that hangs.
    deinit {
        fake_release()
        for function in 0..<FakeFunctionCount.rawValue { fake_fail(FakeFunction(function), 0) }
        try? FileManager.default.removeItem(at: folder)
    }

    /// In one step, as a token may read the file at any time.
    ///
    /// - Parameter path: that of `pinFile` by default.
    func writePIN(_ pin: String, to path: String? = nil, mode: Int = 0o600) throws {
        let path = path ?? pinFile
        let draft = path + ".new"
        try Data(pin.utf8).write(to: URL(filePath: draft))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: draft)
        try #require(rename(draft, path) == 0)
    }

    /// A token with short pauses, and no checks while it is idle.
    func token(
        _ selector: TokenSelector = .label("fake"), states: StateLog = StateLog(),
        _ change: (inout TokenSettings) -> Void = { _ in }
    ) throws -> Token {
        var settings = TokenSettings(module: "/fake", token: selector, pinFile: pinFile)
        (settings.firstRetry, settings.longestRetry, settings.checkInterval) = (1, 4, 600_000)
        change(&settings)
        return try Token(settings, module: try PKCS11Module.module(fake_function_list(), name: "fake"), onChange: states.append)
    }
}

private func sign(
    _ digest: UnsafePointer<UInt8>?, _ place: UnsafeMutablePointer<UInt8>?, _ key: P256.Signing.PrivateKey
) -> UInt {
    guard let digest, let place,
        let signature = try? key.signature(for: GivenDigest(bytes: Array(UnsafeBufferPointer(start: digest, count: 32))))
    else { return 0x30 }
    for (index, byte) in signature.rawRepresentation.enumerated() { place[index] = byte }
    return 0
}

/// Signs with a key that is not the token's.
func signWithAnotherKey(_ digest: UnsafePointer<UInt8>?, _ place: UnsafeMutablePointer<UInt8>?) -> UInt {
    sign(digest, place, P256.Signing.PrivateKey())
}

/// Signs once with the token's key, and then with others.
func signRightOnce(_ digest: UnsafePointer<UInt8>?, _ place: UnsafeMutablePointer<UInt8>?) -> UInt {
    let isFirst = rightSignatures.exchange(1, ordering: .relaxed) == 0
    return sign(digest, place, isFirst ? FakeToken.privateKey : P256.Signing.PrivateKey())
}

let rightSignatures = Atomic<Int>(0)

/// A digest of 32 bytes that was made elsewhere.
struct GivenDigest: Digest {
    static let byteCount = 32
    let bytes: [UInt8]
    var description: String { Hex.encode(bytes) }
    func makeIterator() -> IndexingIterator<[UInt8]> { bytes.makeIterator() }
    func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R { try bytes.withUnsafeBytes(body) }
}

/// The states that a token reported.
final class StateLog: Sendable {
    private let stream: AsyncStream<TokenState>
    private let continuation: AsyncStream<TokenState>.Continuation

    init() { (stream, continuation) = AsyncStream.makeStream() }

    func append(_ state: TokenState) { continuation.yield(state) }

    /// Waits for a state that was not waited for before.
    func wait(for wanted: @Sendable (TokenState) -> Bool) async {
        for await state in stream where wanted(state) { return }
    }
}
