package assay.client;

import static assay.client.AllTests.equal;
import static assay.client.AllTests.thrown;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.interfaces.ECPrivateKey;
import java.security.spec.ECGenParameterSpec;
import java.util.Arrays;
import java.util.Base64;

final class PemTests implements AutoCloseable {
    /** Of the curve P-256, as [0] of an ECPrivateKey. */
    private static final byte[] CURVE = {(byte) 0xa0, 10, 6, 8, 0x2a, (byte) 0x86, 0x48, (byte) 0xce, 0x3d, 3, 1, 7};
    /** Of PKCS#8 around an RSA key of 1024 bits. */
    private static final int RSA_PREFIX = 26;

    private final Path file;

    PemTests() throws IOException {
        file = Files.createTempFile("assay-client", ".pem");
    }

    @Override
    public void close() throws IOException {
        Files.delete(file);
    }

    private PrivateKey read(String label, byte[] der) throws IOException, GeneralSecurityException {
        String body = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der);
        Files.writeString(file, "a comment\n-----BEGIN " + label + "-----\n" + body + "\n-----END " + label + "-----\n", StandardCharsets.US_ASCII);
        return Pem.privateKey(file);
    }

    private static PrivateKey ellipticKey() throws GeneralSecurityException {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
        generator.initialize(new ECGenParameterSpec("secp256r1"));
        return generator.generateKeyPair().getPrivate();
    }

    /** RFC 5915, as {@code openssl ecparam -genkey} writes it, without the public key. */
    private static byte[] rfc5915(PrivateKey key) {
        byte[] number = ((ECPrivateKey) key).getS().toByteArray();
        byte[] der = new byte[7 + 32 + CURVE.length];
        byte[] start = {0x30, (byte) (der.length - 2), 2, 1, 1, 4, 32};
        System.arraycopy(start, 0, der, 0, start.length);
        int length = Math.min(32, number.length);
        System.arraycopy(number, number.length - length, der, start.length + 32 - length, length);
        System.arraycopy(CURVE, 0, der, start.length + 32, CURVE.length);
        return der;
    }

    @Test
    void readsKeysOfEachForm() throws Exception {
        PrivateKey elliptic = ellipticKey();
        equal(elliptic, read("PRIVATE KEY", elliptic.getEncoded()));
        equal(((ECPrivateKey) elliptic).getS(), ((ECPrivateKey) read("EC PRIVATE KEY", rfc5915(elliptic))).getS());
        KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
        generator.initialize(1024);
        PrivateKey rsa = generator.generateKeyPair().getPrivate();
        equal(rsa, read("PRIVATE KEY", rsa.getEncoded()));
        equal(rsa, read("RSA PRIVATE KEY", Arrays.copyOfRange(rsa.getEncoded(), RSA_PREFIX, rsa.getEncoded().length)));
    }

    @Test
    void refusesKeysThatAreNone() throws Exception {
        byte[] key = rfc5915(ellipticKey());
        for (int end = 0; end < key.length; end++) {
            byte[] cut = Arrays.copyOf(key, end);
            thrown(GeneralSecurityException.class, () -> read("EC PRIVATE KEY", cut));
        }
        thrown(GeneralSecurityException.class, () -> read("PRIVATE KEY", new byte[] {1}));
        thrown(GeneralSecurityException.class, () -> read("RSA PRIVATE KEY", new byte[300]));
        thrown(IOException.class, () -> read("ENCRYPTED PRIVATE KEY", key));
        Files.writeString(file, "");
        thrown(IOException.class, () -> Pem.privateKey(file));
        thrown(IOException.class, () -> Pem.certificates(file));
        Files.write(file, new byte[(1 << 20) + 1]);
        thrown(IOException.class, () -> Pem.certificates(file));
    }
}
