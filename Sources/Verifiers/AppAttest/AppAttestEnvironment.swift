/// Which of Apple's two services attested the key.
package enum AppAttestEnvironment: String, CaseIterable, Hashable, Sendable {
    case development
    case production

    /// From the 16 bytes of the AAGUID: ASCII `appattestdevelop`, or `appattest` and seven zero bytes. Other values are
    /// rejected, also the `appattestsandbox` of one of Apple's pages: no genuine object has it.
    init?(aaguid: ArraySlice<UInt8>) {
        if aaguid.elementsEqual("appattestdevelop".utf8) {
            self = .development
        } else if aaguid.elementsEqual("appattest\0\0\0\0\0\0\0".utf8) {
            self = .production
        } else {
            return nil
        }
    }
}
