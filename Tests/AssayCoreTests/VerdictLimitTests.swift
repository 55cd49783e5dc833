import Testing

@testable import AssayCore

@Suite("Limits of verdicts")
struct VerdictLimitTests {
    private func limits(
        _ formats: [EvidenceFormat], _ assurance: Assurance, _ binding: Binding? = .inEvidence
    ) -> Set<VerdictLimit> {
        Set(VerdictLimit.limits(of: .accepted(assurance), binding, nil, formats: formats))
    }

    @Test("A rejected verdict has no limits: it says nothing of the device")
    func rejected() {
        let rejected = Verdict.Decision.rejected(Rejection(.badSignature, "it is bad"), check: "signature")
        #expect(VerdictLimit.limits(of: rejected, .inEvidence, nil, formats: [.keySignature]).isEmpty)
    }

    @Test("That relay is not excluded is a limit of every accepted verdict, and each list is in order")
    func order() {
        for assurance in Assurance.allCases {
            let list = VerdictLimit.limits(of: .accepted(assurance), nil, nil, formats: [.playIntegrity])
            #expect(list.contains(.relay))
            #expect(list == VerdictLimit.allCases.filter(list.contains))
        }
    }

    @Test("A payload that is bound is no limit, and a hash for which the caller vouches is")
    func bindings() throws {
        let hash = [UInt8](repeating: 0xAB, count: 32)
        let callers = limits([.keySignature], .hardware, Binding(callerOwned: hash))
        #expect(callers.isSuperset(of: [.noPayload, .callersFreshness]) && !callers.contains(.noChallenge))
        let own = limits([.certificateBundle], .hardware, .inEvidence)
        #expect(own.isSuperset(of: [.noPayload, .noChallenge]) && !own.contains(.callersFreshness))
        let data = try #require(ClientData(purpose: .assert, challenge: [UInt8](repeating: 1, count: 54), payloadHash: hash))
        let bound = Binding(data)
        #expect(!limits([.keySignature], .hardware, bound).contains(.noPayload))
    }

    @Test("Signals are the app's word unless each signal of the document was measured")
    func appsWord() throws {
        func limit(_ signals: [String], measured: [String: Signal.Outcome]) -> Bool {
            let document = SignalDocument(
                media: [], signals: signals.map { Signal(name: $0, value: .outcome(.pass)) })
            let scene = SceneAnalysis(counted: document, digest: [1]).with(measured: measured)
            let confidence = ConfidenceRule(profile: .mvp).assess(
                scene, platform: .iOS, HardwareAttestation(.secureElement, platform: .iOS, simulated: false))
            return VerdictLimit.limits(of: .accepted(.hardware), nil, confidence, formats: [.keySignature]).contains(.appsWord)
        }
        #expect(limit(["lidar"], measured: [:]) && limit(["lidar", "moire"], measured: ["lidar": .pass]))
        #expect(!limit(["lidar"], measured: ["lidar": .fail]) && !limit(["lidar"], measured: ["lidar": .unavailable]))
        #expect(limit([], measured: ["lidar": .pass]), "the digests of the media are the app's word")
    }

    @Test(
        "The time of a capture that was signed offline is the word of the device, its payload is bound, and no other evidence has that limit"
    )
    func offline() throws {
        let app = try #require(AppID("camera"))
        let capture = OfflineCapture(
            capturedAt: Timestamp(unixMilliseconds: 1), payloadHash: [UInt8](repeating: 0xAB, count: 32))
        let found = limits([.offlineSignature], .hardware, Binding(capture, for: app))
        #expect(found.isSuperset(of: [.captureTime, .noChallenge, .attestedEarlier]))
        #expect(found.isDisjoint(with: [.noPayload, .callersFreshness, .noApp]))
        for kind in EvidenceKind.all where kind.format != .offlineSignature {
            #expect(!limits([kind.format], .hardware).contains(.captureTime), "\(kind.format)")
        }
    }

    @Test("What evidence speaks of is no limit")
    func evidence() {
        #expect(limits([.keyAttestation], .hardware).isDisjoint(with: [.attestedEarlier, .noApp, .noSystem, .softwareKey]))
        #expect(limits([.keySignature], .hardware).contains(.attestedEarlier))
        #expect(limits([.appAttestAssertion], .secureElement).isSuperset(of: [.attestedEarlier, .noSystem]))
        #expect(!limits([.appAttestAttestation], .secureElement).contains(.attestedEarlier))
        #expect(limits([.certificateBundle], .hardware).isSuperset(of: [.noApp, .noSystem, .attestedEarlier]))
        #expect(limits([.playIntegrity], .platform).contains(.vendorsWord))
        #expect(limits([.keyAttestation], .software).isSuperset(of: [.noSystem, .softwareKey]))
        // A second piece that is of today does not make the first one so.
        #expect(limits([.keySignature, .playIntegrity], .platform).contains(.attestedEarlier))
        #expect(limits([EvidenceFormat(rawValue: "example.plugin")], .hardware).isSuperset(of: [.noApp, .noSystem]))
    }
}
