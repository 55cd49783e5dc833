import AssayCore
import AssayEncoding
import AssayResults

extension FuzzTarget {
    static let statusListURI = "https://fuzz.example/v1/status/1"

    /// The bytes as a status list, as claims that the key signed in both forms, and as what a signed list holds.
    static func statusLists(_ bytes: [UInt8]) {
        read(bytes)
        read(signedText(bytes, "statuslist+jwt"))
        read(signedMessage(bytes, StatusListForm.cwt.mediaType))
        let list = CBORWriter.map([
            (CBORWriter.text("bits"), CBORWriter.integer(2)), (CBORWriter.text("lst"), CBORWriter.bytes(bytes)),
        ])
        let claims = CBORWriter.map([
            (CBORWriter.integer(2), CBORWriter.text(statusListURI)),
            (CBORWriter.integer(6), CBORWriter.integer(now.unixMilliseconds / 1000)), (CBORWriter.integer(65533), list),
        ])
        read(signedMessage(claims, StatusListForm.cwt.mediaType))
    }

    private static func read(_ list: [UInt8]) {
        guard let keys = resultKeySet,
            let read = try? StatusListReader(keys: keys).read(list, of: statusListURI, at: now)
        else { return }
        for index in [0, 7, UInt32.max] { _ = try? read.status(of: ResultStatusReference(uri: statusListURI, index: index)) }
    }
}
