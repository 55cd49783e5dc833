import AssayAPI
package import AssayCore

/// Reads the uploads that requests for verdicts name, before they are judged.
package struct UploadBinding: Sendable {
    private let ledger: any UploadFacts

    package init(ledger: any UploadFacts) { self.ledger = ledger }

    /// The request with the hash of the upload that it names in its binding, or with why it has none. A request that names no upload stays as it is.
    func bind(_ admitted: AuthorizedRequest) async -> AuthorizedRequest {
        guard let id = admitted.request.upload else { return admitted }
        do throws(PipelineError) {
            return admitted.bound(by: .success(try await hash(of: id, for: admitted)))
        } catch {
            return admitted.bound(by: .failure(error))
        }
    }

    /// The hash of a finished upload of the request's app and caller that has not expired. Other uploads are unknown.
    private func hash(of id: UploadID, for admitted: AuthorizedRequest) async throws(PipelineError) -> [UInt8] {
        let app = admitted.request.app
        guard admitted.profile.uploads != nil else { throw .upload(.notConfigured(app)) }
        let found: Upload?
        do throws(LedgerError) { found = try await ledger.upload(id) } catch { throw .ledger(error) }
        guard let upload = found else { throw .upload(.unknown) }
        do throws(UploadRefusal) {
            try upload.check(UploadOwner(app: app, caller: admitted.caller.name), at: admitted.now)
        } catch {
            throw .upload(error)
        }
        guard upload.finishedAt != nil else { throw .upload(.unfinished) }
        return upload.payloadSHA256
    }
}
