package import AssayCertificates
package import AssayService

extension AnchorFacts {
    package init(_ anchor: TrustAnchor) {
        self.init(
            name: anchor.name, publisher: anchor.publisher, spkiSHA256: anchor.publicKeySHA256,
            certificateSHA256: anchor.certificateSHA256, simulated: anchor.simulated)
    }
}
