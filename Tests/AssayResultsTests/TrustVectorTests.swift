import AssayCore
import Testing

@testable import AssayResults

@Suite("Trust vector")
struct TrustVectorTests {
    /// Every format that this version knows, and one of a plugin.
    private static let formats: [EvidenceFormat] = [
        .appAttestAttestation, .appAttestAssertion, .keyAttestation, .keySignature, .offlineSignature, .playIntegrity,
        .safetyNet,
        .deviceCheck,
        .certificateBundle, .certificateSignature, .fleetDevice, EvidenceFormat(rawValue: "example.plugin"),
    ]

    private func stated(_ vector: TrustVector) -> [String: Int8] {
        Dictionary(uniqueKeysWithValues: vector.stated.map { ("\($0.name)", vector[$0]) })
    }

    @Test("The vector of each format and level is that of the page about results")
    func table() {
        let rows: [(EvidenceFormat, Assurance, [String: Int8], TrustVector.Tier)] = [
            (
                .appAttestAttestation, .secureElement, ["instance-identity": 2, "hardware": 2, "storage-opaque": 2],
                .affirming
            ),
            (.appAttestAssertion, .secureElement, ["instance-identity": 2, "hardware": 2, "storage-opaque": 2], .affirming),
            (
                .keyAttestation, .secureElement,
                ["instance-identity": 2, "executables": 3, "hardware": 2, "storage-opaque": 2], .affirming
            ),
            (
                .keySignature, .hardware, ["instance-identity": 2, "executables": 3, "hardware": 2, "storage-opaque": 2],
                .affirming
            ),
            (.keyAttestation, .software, ["instance-identity": 2, "executables": 33, "storage-opaque": 32], .warning),
            (.playIntegrity, .platform, ["executables": 3], .affirming),
            (.playIntegrity, .software, ["executables": 33, "storage-opaque": 32], .warning),
            (.safetyNet, .software, ["executables": 33, "storage-opaque": 32], .warning),
            (.deviceCheck, .platform, ["instance-identity": 0], .none),
            (.certificateBundle, .hardware, ["instance-identity": 2, "storage-opaque": 2], .affirming),
            (.certificateBundle, .software, ["instance-identity": 2, "storage-opaque": 32], .warning),
            (EvidenceFormat(rawValue: "example.plugin"), .hardware, ["storage-opaque": 2], .affirming),
            (EvidenceFormat(rawValue: "example.plugin"), .platform, ["instance-identity": 0], .none),
        ]
        for (format, assurance, entries, status) in rows {
            let vector = TrustVector(formats: [format], assurance: assurance)
            #expect(stated(vector) == entries, "\(format) \(assurance.name)")
            #expect(vector.status == status, "\(format) \(assurance.name)")
        }
    }

    @Test("A status is the tier of the worst entry: no entry is worse, and one is as bad")
    func status() {
        for first in Self.formats {
            for second in Self.formats {
                for assurance in Assurance.allCases {
                    let vector = TrustVector(formats: [first, second], assurance: assurance)
                    let tiers = TrustVector.Entry.allCases.map { TrustVector.Tier(of: vector[$0]) }
                    #expect(tiers.allSatisfy { $0 <= vector.status })
                    #expect(tiers.contains(vector.status))
                    #expect(!vector.stated.isEmpty)
                }
            }
        }
    }

    @Test("Keys in software are never affirmed, and evidence of the same formats is never better with a weaker assurance")
    func weaker() {
        for format in Self.formats {
            let weak = TrustVector(formats: [format], assurance: .software)
            #expect(weak.status == .warning)
            #expect(weak[.hardware] == 0)
            for assurance in Assurance.allCases where assurance > .software {
                #expect(TrustVector(formats: [format], assurance: assurance).status < .warning)
            }
        }
    }

    @Test("A second piece adds what it speaks of, and takes nothing away but by the assurance of both")
    func pieces() {
        let both = TrustVector(formats: [.appAttestAssertion, .deviceCheck], assurance: .secureElement)
        #expect(both == TrustVector(formats: [.appAttestAssertion], assurance: .secureElement))
        let android = TrustVector(formats: [.keyAttestation, .playIntegrity], assurance: .platform)
        #expect(stated(android) == ["instance-identity": 2, "executables": 3])
    }

    @Test("Values belong to the tiers of AR4SI, standard ones and others")
    func tiers() {
        let bounds: [(ClosedRange<Int8>, TrustVector.Tier)] = [
            (-1...1, .none), (2...31, .affirming), (-32 ... -2, .affirming), (32...95, .warning), (-96 ... -33, .warning),
            (96...127, .contraindicated), (-128 ... -97, .contraindicated),
        ]
        for (range, tier) in bounds {
            for value in range { #expect(TrustVector.Tier(of: value) == tier, "\(value)") }
        }
    }

    @Test("Formats whose devices have a key say whether it signs messages")
    func scopes() {
        #expect(EvidenceFormat.keySignature.scope?.contains(.messages) == true)
        #expect(EvidenceFormat.appAttestAssertion.scope?.contains(.messages) == false)
        for format in EvidenceFormat.described { #expect(format.scope != nil, "\(format) has no scope") }
    }
}
