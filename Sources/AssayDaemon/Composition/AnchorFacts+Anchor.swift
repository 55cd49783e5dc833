import AssayCertificates
import AssayService

extension AnchorFacts {
    init(_ anchor: TrustAnchor) {
        self.init(
            name: anchor.name, publisher: anchor.publisher, spkiSHA256: anchor.publicKeySHA256,
            certificateSHA256: anchor.certificateSHA256, simulated: anchor.simulated)
    }
}
