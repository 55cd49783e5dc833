import AssayAPI
import AssayCore
import AssayResults
import SwiftProtobuf

extension ResultPublication {
    /// What the issuer signs, and where its keys are, as JSON: `issuer`, `jwks_uri`, `simulated`, `result_signing_alg_values_supported`, and for each
    /// shape of `results_supported` its `shape`, the `typ` of its header, and the `specification` that it follows.
    package var metadata: [UInt8] {
        let shapes = ResultShape.allCases.map { shape in
            JSONValue.members([
                ("shape", .text(shape.rawValue)), ("typ", .text(ResultProfiles.type(of: shape))),
                ("specification", .text(ResultProfiles.version(of: shape))),
            ])
        }
        return JSONValue.members([
            ("issuer", .text(issuer.address)), ("jwks_uri", .text(issuer.address + "/.well-known/jwks.json")),
            ("simulated", .boolean(issuer.kind == .simulatedDevices)),
            ("result_signing_alg_values_supported", .array(algorithms.map { .text($0) })),
            ("results_supported", .array(shapes)),
        ]).text
    }
}

extension ResultShape {
    /// What the API says of the shape.
    var profile: Assay_V1_ResultProfile {
        .with {
            ($0.shape, $0.type) = (message, ResultProfiles.type(of: self))
            $0.specification = ResultProfiles.version(of: self)
        }
    }
}

extension JSONValue {
    fileprivate static func text(_ text: String) -> JSONValue { .string(Array(text.utf8)) }

    fileprivate static func members(_ members: [(name: String, value: JSONValue)]) -> JSONValue {
        .object(JSONObject(members.map { JSONObject.Member(name: Array($0.name.utf8), value: $0.value) }))
    }
}
