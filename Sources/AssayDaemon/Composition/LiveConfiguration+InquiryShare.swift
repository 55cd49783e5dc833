import AssayConfiguration
import AssayService
import AssayVendors

extension LiveConfiguration {
    /// What each of the apps may have of the questions to vendors.
    var inquiryShare: InquiryShare {
        InquiryShare(apps: apps.count(where: \.asksWhileCallerWaits), callLimit: vendors.callLimit)
    }
}
