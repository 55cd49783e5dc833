import Glibc
import Testing

/// A TCP connection without a library, for misbehaving clients and large numbers of them.
final class PlainSocket: Sendable {
    let descriptor: Int32

    /// 127.0.0.1.
    static let thisMachine = UInt32(INADDR_LOOPBACK)
    /// 127.0.0.2: on this machine too, and another address than 127.0.0.1 to a daemon.
    static let otherMachine = thisMachine + 1

    /// Connects to a port of this machine; `nil` if that is refused or no descriptor is available.
    ///
    /// - Parameter source: the local address.
    init?(port: UInt16, from source: UInt32 = thisMachine) {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return nil }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        // The deinitialiser closes the descriptor, whatever fails from here on.
        if source != Self.thisMachine {
            address.sin_addr.s_addr = source.bigEndian
            // The port is chosen with the destination known, so that many connections do not use up the ports.
            var isPortLater: Int32 = 1
            setsockopt(
                descriptor, Int32(IPPROTO_IP), IP_BIND_ADDRESS_NO_PORT, &isPortLater, socklen_t(MemoryLayout<Int32>.size))
            let isBound = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
            guard isBound == 0 else { return nil }
        }
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
        // The longest wait for a peer that has stopped.
        var patience = timeval(tv_sec: 60, tv_usec: 0)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            setsockopt(descriptor, SOL_SOCKET, option, &patience, socklen_t(MemoryLayout<timeval>.size))
        }
        let status = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard status == 0 else { return nil }
    }

    deinit { close(descriptor) }

    /// False: the peer accepts no more.
    @discardableResult
    func say(_ bytes: some Collection<UInt8>) -> Bool {
        var rest = Array(bytes)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// Exactly `count` bytes, or `nil` if the peer ends before, or is silent for long.
    func hear(_ count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        var heard = 0
        while heard < count {
            let more = bytes.withUnsafeMutableBytes { recv(descriptor, $0.baseAddress.map { $0 + heard }, count - heard, 0) }
            guard more > 0 else { return nil }
            heard += more
        }
        return bytes
    }

    /// Discards the next frame and returns its length; `nil` as in `hear`.
    func hearFrame() -> Int? {
        guard let head = hear(4) else { return nil }
        let length = head.reduce(0) { $0 << 8 | Int($1) }
        return hear(length) == nil ? nil : length
    }

    /// Discards the peer's bytes until its end.
    func ignore() {
        var bytes = [UInt8](repeating: 0, count: 65_536)
        while recv(descriptor, &bytes, bytes.count, 0) > 0 {}
    }

    /// Shuts both directions down; a call that waits in the other returns.
    func end() { shutdown(descriptor, Int32(SHUT_RDWR)) }
}

/// Frames of `proto/assay/rpc/v1/frame.proto`, written by hand.
enum PlainFrame {
    static let ping: [UInt8] = [0, 0, 0, 2, 0x3A, 0]
    static let pong: [UInt8] = [0, 0, 0, 2, 0x42, 0]

    /// A call with a number below 2^14.
    static func call(_ id: Int, _ method: String, _ message: [UInt8]) -> [UInt8] {
        framed([0x08] + varint(id) + field(2, field(1, Array(method.utf8)) + field(2, message)))
    }

    static func framed(_ frame: [UInt8]) -> [UInt8] {
        withUnsafeBytes(of: UInt32(frame.count).bigEndian) { Array($0) } + frame
    }

    static func field(_ number: UInt8, _ bytes: [UInt8]) -> [UInt8] { [number << 3 | 2] + varint(bytes.count) + bytes }

    private static func varint(_ value: Int) -> [UInt8] {
        value < 0x80 ? [UInt8(value)] : [UInt8(value & 0x7F) | 0x80] + varint(value >> 7)
    }
}
