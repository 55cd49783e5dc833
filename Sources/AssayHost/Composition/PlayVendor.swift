import AssayCore
import AssayFeeds
import AssayService

/// Google's decode service, as the pipeline asks it.
struct PlayVendor: EvidenceVendor {
    let client: PlayDecodeClient

    func ask(about evidence: Evidence) async throws(VendorNotAsked) -> VendorReply {
        do throws(PlayDecodeClient.NotAsked) {
            return try await client.decode(evidence.body)
        } catch {
            throw VendorNotAsked(error.why)
        }
    }
}
