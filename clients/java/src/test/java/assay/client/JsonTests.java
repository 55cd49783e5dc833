package assay.client;

import static assay.client.AllTests.equal;
import static assay.client.AllTests.thrown;

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

final class JsonTests {
    private static Object parse(String text) throws JsonException {
        return Json.parse(text.getBytes(StandardCharsets.UTF_8));
    }

    private static void rejects(String text, int place) {
        String message = thrown(JsonException.class, () -> parse(text)).getMessage();
        AllTests.isTrue(message.startsWith("invalid JSON at character " + place + ":"), text + ": " + message);
    }

    @Test
    void readsEachKindOfValue() throws JsonException {
        Map<?, ?> value = (Map<?, ?>) parse(" {\"a\":[1,-0.5e+3,true,false],\"b\":{},\"c\":null,\"d\":\"x\"} ");
        equal(List.of(1L, new BigDecimal("-0.5e+3"), true, false), value.get("a"));
        equal(Map.of(), value.get("b"));
        equal(null, value.get("c"));
        equal("x", value.get("d"));
    }

    @Test
    void readsIntegersOf64BitsExactly() throws JsonException {
        equal(Long.MAX_VALUE, parse("9223372036854775807"));
        equal(Long.MIN_VALUE, parse("-9223372036854775808"));
        equal(new BigDecimal("9223372036854775808"), parse("9223372036854775808"));
    }

    @Test
    void readsEscapes() throws JsonException {
        equal("\"\\/\b\f\n\r\té😀é", parse("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\ud83d\\ude00é\""));
    }

    @Test
    void rejectsWhatIsNotJson() {
        rejects("", 0);
        rejects("{", 1);
        rejects("[1,]", 3);
        rejects("{\"a\":1,}", 7);
        rejects("{\"a\" 1}", 5);
        rejects("{a:1}", 1);
        rejects("[1 2]", 3);
        rejects("01", 1);
        rejects("1.", 2);
        rejects("1e", 2);
        rejects("-", 1);
        rejects("+1", 0);
        rejects("nul", 0);
        rejects("NaN", 0);
        rejects("1 1", 2);
        rejects("'a'", 0);
        rejects("\uFEFF1", 0);
        rejects("\"a", 2);
        rejects("\"a\n\"", 2);
        rejects("\"\\x\"", 2);
        rejects("\"\\u12g4\"", 5);
        rejects("\"\\u१२३४\"", 3);
    }

    @Test
    void rejectsHalfASurrogatePair() {
        for (String text : List.of("\"\\ud800\"", "\"\\ud800x\"", "\"\\ud800\\u0041\"", "\"\\udc00\"")) {
            thrown(JsonException.class, () -> parse(text));
        }
    }

    @Test
    void rejectsAMemberThatIsGivenTwice() {
        rejects("{\"a\":1,\"b\":2,\"\\u0061\":3}", 13);
    }

    @Test
    void rejectsWhatIsNotUtf8() {
        thrown(JsonException.class, () -> Json.parse(new byte[] {'"', (byte) 0xff, '"'}));
        thrown(JsonException.class, () -> Json.parse(new byte[] {'"', (byte) 0xc0, (byte) 0x80, '"'}));
    }

    @Test
    void boundsDepthNumbersAndTheNumberOfValues() throws JsonException {
        parse("[".repeat(100) + "]".repeat(100));
        rejects("[".repeat(101) + "]".repeat(101), 100);
        rejects("[".repeat(1_000_000), 100);
        rejects("1".repeat(1001), 0);
        rejects("1e99999999999", 0);
        byte[] many = new byte[2_000_001];
        Arrays.fill(many, (byte) ',');
        for (int at = 1; at < many.length; at += 2) {
            many[at] = '1';
        }
        many[0] = '[';
        many[many.length - 1] = ']';
        thrown(JsonException.class, () -> Json.parse(many));
    }

    @Test
    void rejectsEveryStrictPrefix() throws JsonException {
        String text = "{\"a\":[\"é\\u00e9\",-1.5e3,true,null],\"b\":{\"c\":\"d\"}}";
        parse(text);
        for (int end = 0; end < text.length(); end++) {
            String prefix = text.substring(0, end);
            thrown(JsonException.class, () -> parse(prefix));
        }
    }

    @Test
    void writesWhatTheReaderReads() throws JsonException {
        String text = "{\"a\":[1,-0.5,\"é\\u0000\\\"\\\\😀\",true,null],\"b\":{\"c\":[]}}";
        equal(text, Json.write(parse(text)));
        equal("\"\\ud800x\"", Json.write("\ud800x"));
    }

    @Test
    void refusesToWriteWhatIsNotJson() {
        Map<String, Object> endless = new HashMap<>();
        endless.put("a", endless);
        for (Object value : Arrays.asList(new Object(), Double.NaN, Float.POSITIVE_INFINITY, Map.of(1, 2), endless, new byte[1])) {
            thrown(IllegalArgumentException.class, () -> Json.write(value));
        }
    }
}
