import Foundation

/// Signatures of uploads that were sent and have no final answer, also over the end of the app.
///
/// The backend's idempotency key is the upload's id. Had the daemon accepted an upload whose answer was lost, another signature under
/// the same id would be refused for good (`idempotency_key_reused`). So the earlier one is sent again first.
actor SentUploads {
    /// The oldest is forgotten first. An entry has about 500 bytes.
    static let limit = 16

    private struct Entry: Codable {
        let id: String
        let payloadHash: Data
        let signature: UploadSignature
    }

    private let store: any KeyStore
    private let name: String

    init(store: any KeyStore, user: String) {
        self.store = store
        name = "uploads/" + user
    }

    /// The signature that was sent for this upload; none if it was over other bytes.
    func signature(of id: String, payloadHash: Data) throws(PhoneError) -> UploadSignature? {
        try entries().last { $0.id == id && $0.payloadHash == payloadHash }?.signature
    }

    func add(_ signature: UploadSignature, of id: String, payloadHash: Data) throws(PhoneError) {
        let others = try entries().filter { $0.id != id }
        try store.keep(
            Array((others + [Entry(id: id, payloadHash: payloadHash, signature: signature)]).suffix(Self.limit)), name)
    }

    /// Its answer was final.
    func remove(_ id: String) throws(PhoneError) {
        let entries = try entries()
        let others = entries.filter { $0.id != id }
        guard others.count < entries.count else { return }
        try store.keep(others, name)
    }

    private func entries() throws(PhoneError) -> [Entry] { try store.value([Entry].self, name) ?? [] }
}
