import Synchronization
import Testing

@testable import AssayRPC

@Suite("Admission")
struct AdmissionTests {
    private let callers = CallerRegister()

    private func limits(calls: Int = 640, perCaller: Int = 10_000, bytes: Int = 1 << 20) -> CallLimits {
        var limits = CallLimits()
        (limits.maxInFlightTotal, limits.maxInFlightPerCaller, limits.maxHeldBytesTotal) = (calls, perCaller, bytes)
        return limits
    }

    private let call = Admission.Share(calls: 1, bytes: 100)

    @Test("the last sixteenth of the calls is reserved for callers with few in flight")
    func keptCalls() {
        let admission = Admission(limits())
        let (flood, honest) = (callers.usage(of: .caller("a")), callers.usage(of: .caller("b")))
        #expect((0..<600).allSatisfy { _ in admission.admit(call, for: flood) == nil })
        #expect(admission.admit(call, for: flood) == .full)
        #expect((0..<10).allSatisfy { _ in admission.admit(call, for: honest) == nil })
        #expect(admission.admit(call, for: honest) == .full, "with a sixty-fourth of all calls it has many")
        #expect(admission.held == Admission.Share(calls: 610, bytes: 61_000))
        for _ in 0..<10 { admission.release(call, of: honest) }
        for _ in 0..<600 { admission.release(call, of: flood) }
        #expect(admission.held == Admission.Share() && flood.held.load(ordering: .relaxed) == 0)
    }

    @Test("the last sixteenth of the bytes is reserved for callers that hold little")
    func keptBytes() {
        let admission = Admission(limits())
        let (flood, honest) = (callers.usage(of: .caller("a")), callers.usage(of: .caller("b")))
        let large = Admission.Share(calls: 1, bytes: 60 << 10)
        #expect((0..<16).allSatisfy { _ in admission.admit(large, for: flood) == nil })
        #expect(admission.admit(large, for: flood) == .full)
        #expect(admission.admit(large, for: honest) == nil)
        #expect(admission.admit(Admission.Share(calls: 1), for: flood) == nil, "a share without bytes needs no room for bytes")
        #expect(admission.held == Admission.Share(calls: 18, bytes: 17 * (60 << 10)))
    }

    @Test("the calls of one caller are bounded, and a refused call takes nothing")
    func perCaller() {
        let admission = Admission(limits(perCaller: 3))
        let (one, other) = (callers.usage(of: .caller("a")), callers.usage(of: .caller("b")))
        for _ in 0..<3 { #expect(admission.admit(call, for: one) == nil) }
        #expect(admission.admit(call, for: one) == .callerIsFull)
        #expect(admission.admit(Admission.Share(bytes: 5), for: one) == nil, "a partial frame is no call")
        #expect(admission.admit(call, for: other) == nil)
        #expect(admission.held == Admission.Share(calls: 4, bytes: 405))
        admission.release(call, of: one)
        #expect(admission.admit(call, for: one) == nil)
    }

    @Test("a caller's connections share one account, which ends with its last connection or call")
    func register() {
        let identity = PeerIdentity.address(CountedAddress("192.0.2.1"))
        var first: CallerUsage? = callers.usage(of: identity)
        #expect(callers.usage(of: identity) === first && callers.count == 1)
        let other = callers.usage(of: .user(7))
        #expect(other !== first && callers.count == 2)
        first = nil
        #expect(callers.count == 1)
        #expect(callers.usage(of: identity).held.load(ordering: .relaxed) == 0)
        #expect(callers.count == 1)
    }
}
