/// How vendors are talked to.
package struct VendorSettings: Hashable, Sendable {
    /// Until there is a connection with TLS.
    package var connectMilliseconds: Int64
    /// From the call to the last byte of the answer.
    package var totalMilliseconds: Int64
    /// The longest body that is read, in bytes.
    package var answerLimit: Int
    /// Calls under way at a time, to all vendors together. More are refused at once: whoever calls in the background holds
    /// back, and whoever waits for a verdict is told to come again.
    package var callLimit: Int
    /// Roots that are trusted beside those of the machine, as PEM: for proxies, and for tests.
    package var extraRoots: [UInt8]

    package init(
        connectMilliseconds: Int64 = 3000, totalMilliseconds: Int64 = 10_000, answerLimit: Int = 4 << 20,
        callLimit: Int = 64, extraRoots: [UInt8] = []
    ) {
        self.connectMilliseconds = connectMilliseconds
        self.totalMilliseconds = totalMilliseconds
        self.answerLimit = answerLimit
        self.callLimit = callLimit
        self.extraRoots = extraRoots
    }
}
