package assay.client;

import static assay.client.AllTests.equal;

import java.util.List;

final class AddressTests {
    @Test
    void readsEachForm() {
        equal("https://assay.example", Address.parse("https://assay.example").base);
        equal("http://localhost", Address.parse("http://localhost/").base);
        equal("http://[::1]:8080/a/b", Address.parse("http://[::1]:8080/a/b/").base);
        equal(true, Address.parse("https://a:1").isEncrypted);
        equal(false, Address.parse("http://a:1").isEncrypted);
    }

    @Test
    void refusesWhatIsNoAddress() {
        for (String url : List.of(
                "", "localhost:80", "ftp://a", "http://", "http:///a", "http://a:", "http://a:0", "http://a:65536", "http://a:x",
                "http://user@a", "http://a?x", "http://a/#b", "http://a b", "http://a/\r\nx:y", "http://[::1", "http://[a]",
                "http://[::1]x", "http://a:1:2", "http+unix:/a", "http://\u00e9.example")) {
            equal("bad_option", AllTests.reason(() -> Address.parse(url)));
        }
    }
}
