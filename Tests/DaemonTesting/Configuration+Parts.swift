import AndroidKeyAttestation
import AppAttest
import AssayAPI
import AssayCertificates
import AssayConfiguration
import AssayFramedRPC
import AssayRPC
import AssayVendors
import DeviceCheck
import PlayIntegrity

/// What tests read of a configuration.
extension Configuration {
    var listen: [RPCAddress] { fixed.listen.addresses }
    var store: FixedConfiguration.Store { fixed.store }
    var limits: RPCLimits { fixed.limits }
    var callers: CallerDirectory { live.callers }
    var apps: [AppConfiguration] { live.apps }
    var testRoots: [TrustAnchor] { live.testRoots }
    var tls: TLSSettings? { live.tls }
    var log: LogSettings { live.log }
    var vendors: VendorSettings { live.vendors }
    var digest: [UInt8] { live.digest }
}

extension AppConfiguration {
    var appAttest: AppAttestSection? { self["app_attest"] as? AppAttestSection }
    var android: AndroidKeyAttestationSection? { self["android"] as? AndroidKeyAttestationSection }
    var playIntegrity: PlayIntegritySection? { self["play_integrity"] as? PlayIntegritySection }
    var deviceCheck: DeviceCheckSection? { self["device_check"] as? DeviceCheckSection }
}
