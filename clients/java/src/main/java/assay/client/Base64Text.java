package assay.client;

import java.util.Base64;

/** Bytes in protobuf's JSON. */
final class Base64Text {
    private Base64Text() {}

    static String encode(byte[] bytes) {
        return Base64.getEncoder().encodeToString(bytes);
    }

    /** Of either alphabet, with or without padding; null if it is not Base64. */
    static byte[] decode(String text) {
        try {
            return Base64.getDecoder().decode(text.replace('-', '+').replace('_', '/'));
        } catch (IllegalArgumentException error) {
            return null;
        }
    }
}
