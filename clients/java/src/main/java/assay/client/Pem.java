package assay.client;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Certificates and private keys in PEM files (RFC 7468), in the forms that OpenSSL writes. */
final class Pem {
    private static final long SIZE_LIMIT = 1 << 20;
    private static final Pattern BLOCK = Pattern.compile("-----BEGIN ([A-Z0-9 ]+)-----([A-Za-z0-9+/=\\s]*)-----END \\1-----");
    /** AlgorithmIdentifier of rsaEncryption (RFC 8017 §A.1). */
    private static final byte[] RSA = {0x30, 0x0d, 0x06, 0x09, 0x2a, (byte) 0x86, 0x48, (byte) 0x86, (byte) 0xf7, 0x0d, 1, 1, 1, 5, 0};
    /** The object identifier id-ecPublicKey (RFC 5480 §2.1.1). */
    private static final byte[] EC = {0x06, 0x07, 0x2a, (byte) 0x86, 0x48, (byte) 0xce, 0x3d, 0x02, 0x01};

    private Pem() {}

    static List<X509Certificate> certificates(Path path) throws IOException, GeneralSecurityException {
        List<X509Certificate> certificates = new ArrayList<>();
        CertificateFactory factory = CertificateFactory.getInstance("X.509");
        for (Matcher block = BLOCK.matcher(text(path)); block.find(); ) {
            if (block.group(1).equals("CERTIFICATE")) {
                certificates.add((X509Certificate) factory.generateCertificate(new ByteArrayInputStream(bytes(block))));
            }
        }
        if (certificates.isEmpty()) {
            throw new IOException(path + " has no certificate in PEM");
        }
        return certificates;
    }

    static PrivateKey privateKey(Path path) throws IOException, GeneralSecurityException {
        for (Matcher block = BLOCK.matcher(text(path)); block.find(); ) {
            switch (block.group(1)) {
                case "PRIVATE KEY":
                    return privateKey(bytes(block));
                case "EC PRIVATE KEY":
                    return privateKey(ofEllipticCurve(bytes(block)));
                case "RSA PRIVATE KEY":
                    return privateKey(pkcs8(RSA, bytes(block)));
                default:
                    break;
            }
        }
        throw new IOException(path + " has no private key in PEM, or an encrypted one");
    }

    private static String text(Path path) throws IOException {
        if (Files.size(path) > SIZE_LIMIT) {
            throw new IOException(path + " is longer than " + SIZE_LIMIT + " bytes");
        }
        return new String(Files.readAllBytes(path), StandardCharsets.ISO_8859_1);
    }

    private static byte[] bytes(Matcher block) throws IOException {
        try {
            return Base64.getMimeDecoder().decode(block.group(2));
        } catch (IllegalArgumentException error) {
            throw new IOException("a block of PEM is not Base64", error);
        }
    }

    private static PrivateKey privateKey(byte[] pkcs8) throws GeneralSecurityException {
        for (String algorithm : List.of("EC", "RSA", "EdDSA")) {
            try {
                return KeyFactory.getInstance(algorithm).generatePrivate(new PKCS8EncodedKeySpec(pkcs8));
            } catch (InvalidKeySpecException | java.security.NoSuchAlgorithmException error) {
                // A key of another algorithm, or one that this Java does not know.
            }
        }
        throw new InvalidKeySpecException("the private key is not of EC, RSA or EdDSA");
    }

    /** The curve stands inside an ECPrivateKey (RFC 5915 §3), [0], and PKCS#8 wants it outside too. */
    private static byte[] ofEllipticCurve(byte[] key) throws GeneralSecurityException {
        // SEQUENCE { INTEGER 1, OCTET STRING, [0] { curve } … }
        int at = content(key, 0, 0x30);
        at = end(key, at, 0x02);
        at = end(key, at, 0x04);
        int start = content(key, at, 0xa0);
        byte[] curve = java.util.Arrays.copyOfRange(key, start, end(key, start, 0x06));
        return pkcs8(element(0x30, EC, curve), key);
    }

    /** PrivateKeyInfo (RFC 5208 §5). */
    private static byte[] pkcs8(byte[] algorithm, byte[] key) {
        return element(0x30, new byte[] {2, 1, 0}, algorithm, element(0x04, key));
    }

    private static byte[] element(int tag, byte[]... parts) {
        ByteArrayOutputStream content = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            content.write(part, 0, part.length);
        }
        ByteArrayOutputStream element = new ByteArrayOutputStream();
        element.write(tag);
        int length = content.size();
        if (length >= 0x80) {
            int count = length > 0xffff ? 3 : length > 0xff ? 2 : 1;
            element.write(0x80 | count);
            for (int shift = 8 * (count - 1); shift >= 0; shift -= 8) {
                element.write(length >> shift);
            }
        } else {
            element.write(length);
        }
        element.write(content.toByteArray(), 0, length);
        return element.toByteArray();
    }

    /** Where the content of an element begins. */
    private static int content(byte[] der, int at, int tag) throws GeneralSecurityException {
        if (at + 1 >= der.length || (der[at] & 0xff) != tag) {
            throw new InvalidKeySpecException("the private key is not of the form of RFC 5915, with a named curve");
        }
        int first = der[at + 1] & 0xff;
        return at + 2 + (first > 0x80 ? first - 0x80 : 0);
    }

    /** Where an element with a short length ends. */
    private static int end(byte[] der, int at, int tag) throws GeneralSecurityException {
        int start = content(der, at, tag);
        int length = der[at + 1] & 0xff;
        if (length >= 0x80 || start + length > der.length) {
            throw new InvalidKeySpecException("the private key is not of the form of RFC 5915, with a named curve");
        }
        return start + length;
    }
}
