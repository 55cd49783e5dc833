import AssayCore
import AssayFeeds
import AssayService

/// Apple's DeviceCheck service, as the pipeline asks it.
struct DeviceCheckVendor: EvidenceVendor {
    let client: DeviceCheckClient

    func ask(about evidence: Evidence) async throws(VendorNotAsked) -> VendorReply {
        do throws(DeviceCheckClient.NoAnswer) {
            return try await client.ask(about: evidence.body)
        } catch {
            throw VendorNotAsked(error.why)
        }
    }
}
