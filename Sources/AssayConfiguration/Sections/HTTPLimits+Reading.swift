import AssayFramedRPC
import AssayHTTP
import AssayRPC
import AssaySchemes

extension HTTPLimits {
    /// The section `limits.http`, or none. What both protocols have is read once, for both.
    ///
    /// - Parameter shared: what the section `limits` says.
    init(reading value: ConfigurationReader.Value?, beside shared: RPCLimits) {
        self.init()
        maxMessageBytes = shared.maxFrameBytes
        maxStreams = shared.maxInFlightPerConnection
        socket = shared.framed.socket
        guard let section = value?.section() else { return }
        let seconds: (String) -> Duration? = {
            section.optional($0)?.milliseconds(in: 100...86_400_000).map { .milliseconds($0) }
        }
        if let bytes = section.optional("max_message_bytes")?.bytes(in: 65_536...67_108_864) { maxMessageBytes = bytes }
        if let bytes = section.optional("max_header_bytes")?.bytes(in: 4_096...65_536) { maxHeaderBytes = bytes }
        if let time = seconds("head_timeout") { headTimeout = time }
        if let time = seconds("body_timeout") { bodyTimeout = time }
        if let count = section.optional("max_resets")?.integer(in: 200...1_000_000) { maxResetsOfKnownPeers = count }
        section.done()
    }
}
