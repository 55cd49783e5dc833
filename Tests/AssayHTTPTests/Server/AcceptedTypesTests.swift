import Testing

@testable import AssayHTTP

@Suite("Media types that a reader takes")
struct AcceptedTypesTests {
    private static let offers = ["application/a+jwt", "application/a+cwt"]

    @Test(
        "the one that is wanted most is chosen, and of equal ones the first",
        arguments: [
            (nil, "application/a+jwt"), ("", "application/a+jwt"), ("*/*", "application/a+jwt"),
            ("application/*", "application/a+jwt"), ("application/a+cwt", "application/a+cwt"),
            ("Application/A+CWT", "application/a+cwt"),
            ("application/a+cwt;q=0.9, application/a+jwt;q=0.8", "application/a+cwt"),
            ("application/a+cwt;q=0.8, application/a+jwt", "application/a+jwt"),
            ("application/a+jwt;q=0, */*", "application/a+cwt"), ("application/a+jwt;q=0.001,*/*;q=0.5", "application/a+cwt"),
            ("text/html, application/a+cwt ; charset=utf-8 ; Q=0.1", "application/a+cwt"),
            ("application/*;q=0.2, */*;q=1", "application/a+jwt"), (" , ,", "application/a+jwt"),
        ] as [(String?, String)])
    func chosen(_ field: String?, _ type: String) {
        #expect(AcceptedTypes(field).best(of: Self.offers) == type)
    }

    @Test(
        "none is chosen where none is taken",
        arguments: ["text/html", "application/a+jwt;q=0", "*/*;q=0", "application/*;q=0.000", "application/a+jwts"])
    func none(_ field: String) { #expect(AcceptedTypes(field).best(of: Self.offers) == nil) }

    @Test(
        "a range with a weight that is none is passed over",
        arguments: ["2", "1.001", "0.1234", "-0.5", "", ".5", "0,5", "x", "00.5"])
    func badWeights(_ weight: String) {
        let field = "application/a+cwt;q=\(weight), application/a+jwt;q=0.1"
        #expect(AcceptedTypes(field).best(of: Self.offers) == "application/a+jwt")
    }
}
