import AssayCore
import AssayEncoding
import Testing

@testable import AssayProvisioning

@Suite("Subjects of certificates")
struct SubjectNameTests {
    @Test("A subject has a relative name for each attribute, in its order, and a printable serial number")
    func bytes() throws {
        let name = try SubjectName(
            commonName: "CAM é", organization: "Makers", organizationalUnit: "Unit", serialNumber: "SN 0/1")
        #expect(
            Hex.encode(name.der)
                == "3042" + "310f300d060355040a0c064d616b657273" + "310d300b060355040b0c04556e6974"
                + "310f300d06035504030c0643414d20c3a9" + "310f300d06035504051306534e20302f31")
    }

    @Test(
        "A serial number with other characters than a PrintableString has is a UTF8String",
        arguments: ["SN_1", "SN é", "a*b", "a@b"])
    func other(_ serial: String) throws {
        let name = try SubjectName(commonName: "C", serialNumber: serial)
        func attribute(_ type: String, _ value: [UInt8]) -> [UInt8] {
            DERWriter.set([DERWriter.sequence([DERWriter.objectIdentifier(type), value])])
        }
        #expect(
            name.der
                == DERWriter.sequence([
                    attribute("2.5.4.3", DERWriter.utf8String("C")), attribute("2.5.4.5", DERWriter.utf8String(serial)),
                ]))
    }

    @Test("Attributes that are empty, too long or have control characters are refused", arguments: ["", "a\u{7}", "a\n"])
    func refused(_ text: String) throws {
        #expect(throws: AuthorityError.self) { try SubjectName(commonName: text) }
        #expect(throws: AuthorityError.self) { try SubjectName(commonName: String(repeating: "é", count: 256)) }
        #expect(throws: Never.self) { try SubjectName(commonName: String(repeating: "é", count: 255)) }
    }
}
