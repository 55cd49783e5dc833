/// The members of a method in the evidence model, beside score and weight, and their types.
struct MethodMembers: Sendable {
    enum Kind: Sendable { case boolean, number, text, numbers }

    /// The most numbers of a list.
    fileprivate static let listLimit = 32

    let members: [(name: String, kind: Kind)]

    /// By the name of the method, in the order of the evidence model.
    static let all: [(method: String, members: MethodMembers)] = [
        (
            "lidar",
            MethodMembers(members: [
                ("available", .boolean), ("depth_variance", .number), ("depth_layers", .number), ("edge_coherence", .number),
            ])
        ),
        ("parallax", MethodMembers(members: [("available", .boolean), ("reason", .text)])),
        ("moire", MethodMembers(members: [("screen_detected", .boolean), ("frequency_peaks", .numbers)])),
        ("texture", MethodMembers(members: [("classification", .text), ("material_confidence", .number)])),
        (
            "supporting",
            MethodMembers(members: [
                ("pwm_detected", .boolean), ("specular_uniformity", .number), ("halftone_detected", .boolean),
            ])
        ),
    ]

    /// Those whose members a document of version 2 states in the signal's own object.
    static let stated = all.filter { ["moire", "texture", "supporting"].contains($0.method) }

    /// The members that are there, in the order of the evidence model; unknown ones are left out. Throws `malformed` for one of another type.
    func read(from fields: JSONFields) throws(Rejection) -> JSONObject {
        var found: [JSONObject.Member] = []
        for (name, kind) in members {
            guard let value = fields.object[name.utf8], value != .null else { continue }
            guard kind.admits(value) else { throw Rejection(fields.code, "\(fields.place(of: name)) is not \(kind.wanted)") }
            found.append(JSONObject.Member(name: Array(name.utf8), value: value))
        }
        return JSONObject(found)
    }
}

extension MethodMembers.Kind {
    fileprivate func admits(_ value: JSONValue) -> Bool {
        switch (self, value) {
        case (.boolean, .boolean): true
        case (.number, .number(let digits)): digits.count <= DecimalText.limit
        case (.text, .string(let text)): text.count <= 4 * CaptureMetadata.textLimit
        case (.numbers, .array(let elements)):
            elements.count <= MethodMembers.listLimit && elements.allSatisfy { MethodMembers.Kind.number.admits($0) }
        default: false
        }
    }

    fileprivate var wanted: String {
        switch self {
        case .boolean: "true or false"
        case .number: "a number of at most \(DecimalText.limit) bytes"
        case .text: "a text of at most \(4 * CaptureMetadata.textLimit) bytes"
        case .numbers: "a list of at most \(MethodMembers.listLimit) numbers"
        }
    }
}
