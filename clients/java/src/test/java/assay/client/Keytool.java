package assay.client;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Makes certificates with the JDK's keytool, in a folder of its own. */
final class Keytool implements AutoCloseable {
    static final String PASSWORD = "password";

    final Path folder;

    Keytool() throws IOException {
        folder = Files.createTempDirectory("assay-client");
    }

    /** A key and a certificate of its own, in a store of that name, and the certificate in PEM. */
    void pair(String name, String... extensions) throws Exception {
        List<String> arguments = new ArrayList<>(List.of(
                "-genkeypair", "-alias", name, "-keyalg", "EC", "-groupname", "secp256r1", "-dname", "CN=localhost", "-validity", "2"));
        for (String extension : extensions) {
            arguments.addAll(List.of("-ext", extension));
        }
        run(name, arguments.toArray(new String[0]));
        run(name, "-exportcert", "-rfc", "-alias", name, "-file", pem(name).toString());
    }

    /** Signs the certificate by another pair. */
    void sign(String name, String authority, String... extensions) throws Exception {
        String request = folder.resolve(name + ".csr").toString();
        run(name, "-certreq", "-alias", name, "-file", request);
        List<String> arguments = new ArrayList<>(List.of(
                "-gencert", "-rfc", "-alias", authority, "-infile", request, "-outfile", pem(name).toString(), "-validity", "2"));
        for (String extension : extensions) {
            arguments.addAll(List.of("-ext", extension));
        }
        run(authority, arguments.toArray(new String[0]));
        run(name, "-importcert", "-noprompt", "-alias", authority, "-file", pem(authority).toString());
        run(name, "-importcert", "-noprompt", "-alias", name, "-file", pem(name).toString());
    }

    Path pem(String name) {
        return folder.resolve(name + ".pem");
    }

    KeyStore store(String name) throws IOException, GeneralSecurityException {
        return KeyStore.getInstance(folder.resolve(name + ".p12").toFile(), PASSWORD.toCharArray());
    }

    /** The private key in PEM. */
    Path key(String name) throws IOException, GeneralSecurityException {
        byte[] key = store(name).getKey(name, PASSWORD.toCharArray()).getEncoded();
        String text = "-----BEGIN PRIVATE KEY-----\n" + Base64.getMimeEncoder().encodeToString(key) + "\n-----END PRIVATE KEY-----\n";
        return Files.writeString(folder.resolve(name + ".key"), text);
    }

    /** In this process, since a new one takes seconds on a busy machine: the Makefile opens the package of the tool. */
    private void run(String store, String... arguments) throws Exception {
        List<String> command = new ArrayList<>(Arrays.asList(arguments));
        command.addAll(List.of("-keystore", folder.resolve(store + ".p12").toString(), "-storetype", "PKCS12", "-storepass", PASSWORD));
        PrintStream err = System.err;
        ByteArrayOutputStream said = new ByteArrayOutputStream();
        System.setErr(new PrintStream(said, true));
        try {
            Method tool = Class.forName("sun.security.tools.keytool.Main").getMethod("main", String[].class);
            tool.invoke(null, (Object) command.toArray(new String[0]));
        } catch (ReflectiveOperationException error) {
            throw new AssertionError(command + ": " + said, error);
        } finally {
            System.setErr(err);
        }
    }

    @Override
    public void close() throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path path : files.sorted(Comparator.reverseOrder()).collect(Collectors.toList())) {
                Files.delete(path);
            }
        }
    }
}
