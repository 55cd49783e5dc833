import CPKCS11

extension TokenConnection {
    /// An attribute that is longer is refused, in bytes.
    static let attributeLimit = 4096
    /// Keys that are listed at most.
    static let objectLimit = 1024

    /// The objects of a class with a label and an id.
    func findObjects(
        class kind: CK_OBJECT_CLASS, _ selector: KeySelector, atMost limit: Int
    ) throws(TokenError) -> [CK_OBJECT_HANDLE] {
        let session = try handle()
        var template: [Attribute] = [.number(CKA_CLASS, kind)]
        if let label = selector.label { template.append(.bytes(CKA_LABEL, Array(label.utf8))) }
        if let id = selector.id { template.append(.bytes(CKA_ID, id)) }
        try Attribute.withTemplate(template) { attributes, count throws(TokenError) in
            try call("C_FindObjectsInit") { $0.findObjectsInit(session, attributes, count) }
        }
        var handles: [CK_OBJECT_HANDLE] = []
        var batch = [CK_OBJECT_HANDLE](repeating: 0, count: 16)
        var failure: TokenError?
        while handles.count < limit, failure == nil {
            var count: CK_ULONG = 0
            do throws(TokenError) {
                try call("C_FindObjects") { $0.findObjects(session, &batch, CK_ULONG(batch.count), &count) }
                guard count <= batch.count else { throw beyondBounds("C_FindObjects") }
            } catch { failure = error }
            if failure != nil || count == 0 { break }
            handles += batch.prefix(Int(count))
        }
        do throws(TokenError) {
            try call("C_FindObjectsFinal") { $0.findObjectsFinal(session) }
        } catch { failure = failure ?? error }
        if let failure { throw failure }
        return Array(handles.prefix(limit))
    }

    /// The value of an attribute; `nil` if the object has none or the token does not tell it.
    func attribute(_ type: CK_ATTRIBUTE_TYPE, of object: CK_OBJECT_HANDLE) throws(TokenError) -> [UInt8]? {
        let session = try handle()
        var bytes = [UInt8](repeating: 0, count: Self.attributeLimit)
        var length: CK_ULONG = 0
        let code = try call("C_GetAttributeValue", accepting: [.attributeSensitive, .attributeTypeInvalid]) { functions in
            bytes.withUnsafeMutableBytes { place in
                var attribute = CK_ATTRIBUTE(type: type, pValue: place.baseAddress, ulValueLen: CK_ULONG(place.count))
                defer { length = attribute.ulValueLen }
                return functions.getAttributeValue(session, object, &attribute, 1)
            }
        }
        guard code == .ok, length != CK_UNAVAILABLE_INFORMATION else { return nil }
        guard length <= Self.attributeLimit else { throw beyondBounds("C_GetAttributeValue") }
        return Array(bytes.prefix(Int(length)))
    }

    /// A CK_BBOOL: one byte, 0 or 1.
    func flag(_ type: CK_ATTRIBUTE_TYPE, of object: CK_OBJECT_HANDLE) throws(TokenError) -> Bool? {
        switch try attribute(type, of: object) {
        case [0]: false
        case [1]: true
        default: nil
        }
    }

    func number(_ type: CK_ATTRIBUTE_TYPE, of object: CK_OBJECT_HANDLE) throws(TokenError) -> CK_ULONG? {
        guard let bytes = try attribute(type, of: object), bytes.count == MemoryLayout<CK_ULONG>.size else { return nil }
        return bytes.withUnsafeBytes { $0.loadUnaligned(as: CK_ULONG.self) }
    }

    func protection(of privateKey: CK_OBJECT_HANDLE) throws(TokenError) -> TokenKeyProtection {
        TokenKeyProtection(
            isSensitive: try flag(CKA_SENSITIVE, of: privateKey) ?? false,
            wasAlwaysSensitive: try flag(CKA_ALWAYS_SENSITIVE, of: privateKey) ?? false,
            isExtractable: try flag(CKA_EXTRACTABLE, of: privateKey) ?? true,
            wasNeverExtractable: try flag(CKA_NEVER_EXTRACTABLE, of: privateKey) ?? false,
            wasMadeInToken: try flag(CKA_LOCAL, of: privateKey) ?? false)
    }
}
