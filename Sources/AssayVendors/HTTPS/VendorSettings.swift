/// Limits and roots of requests to vendors.
package struct VendorSettings: Hashable, Sendable {
    /// The time for a connection with TLS.
    package var connectMilliseconds: Int64
    /// The time from the call to the last byte of the answer.
    package var totalMilliseconds: Int64
    /// The longest accepted body, in bytes.
    package var answerLimit: Int
    /// Calls in flight to all vendors together. More are refused at once: background callers wait, and a request that needs a
    /// verdict is answered with a retry.
    package var callLimit: Int
    /// Roots trusted beside those of the machine, as PEM: for proxies, and for tests.
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
