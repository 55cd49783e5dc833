package assay.client;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;

/** The files of TLS: whom the client trusts, and the certificate that it shows. Each may be null. */
final class TlsFiles {
    final Path authorities;
    final Path certificate;
    final Path key;

    TlsFiles(Path authorities, Path certificate, Path key) {
        this.authorities = authorities;
        this.certificate = certificate;
        this.key = key;
    }

    /** Throws {@link AssayException} of a wrong option if a file cannot be used. */
    SSLContext context() {
        String option = "caFile";
        try {
            TrustManager[] trusted = trustManagers();
            option = "certificateFile";
            List<X509Certificate> chain = certificate == null ? null : Pem.certificates(certificate);
            option = "keyFile";
            KeyManager[] shown = chain == null ? null : keyManagers(chain, Pem.privateKey(key));
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(shown, trusted, null);
            return context;
        } catch (IOException | GeneralSecurityException error) {
            String name = error instanceof java.nio.file.NoSuchFileException ? "there is no file " : "";
            throw AssayException.badOption(option, name + error.getMessage());
        }
    }

    private TrustManager[] trustManagers() throws IOException, GeneralSecurityException {
        // Null stands for the CAs that Java trusts.
        KeyStore store = null;
        if (authorities != null) {
            store = emptyStore();
            for (X509Certificate authority : Pem.certificates(authorities)) {
                store.setCertificateEntry("ca-" + store.size(), authority);
            }
        }
        TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init(store);
        TrustManager[] managers = factory.getTrustManagers();
        for (int index = 0; index < managers.length; index++) {
            if (managers[index] instanceof X509ExtendedTrustManager) {
                managers[index] = new NamedTrustManager((X509ExtendedTrustManager) managers[index]);
            }
        }
        return managers;
    }

    private static KeyManager[] keyManagers(List<X509Certificate> chain, PrivateKey key) throws IOException, GeneralSecurityException {
        requirePair(chain.get(0), key);
        KeyStore store = emptyStore();
        store.setKeyEntry("client", key, new char[0], chain.toArray(new X509Certificate[0]));
        KeyManagerFactory factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        factory.init(store, new char[0]);
        return factory.getKeyManagers();
    }

    /** Throws if the key is not the certificate's: the store would take both. */
    private static void requirePair(X509Certificate certificate, PrivateKey key) throws GeneralSecurityException {
        String algorithm = key.getAlgorithm();
        String name = algorithm.equals("EC") ? "SHA256withECDSA" : algorithm.equals("RSA") ? "SHA256withRSA" : algorithm;
        byte[] text = {1};
        java.security.Signature signature = java.security.Signature.getInstance(name);
        signature.initSign(key);
        signature.update(text);
        byte[] signed = signature.sign();
        boolean isPair;
        try {
            signature.initVerify(certificate.getPublicKey());
            signature.update(text);
            isPair = signature.verify(signed);
        } catch (java.security.InvalidKeyException | java.security.SignatureException error) {
            isPair = false;
        }
        if (!isPair) {
            throw new GeneralSecurityException("the private key is not that of the certificate");
        }
    }

    private static KeyStore emptyStore() throws IOException, GeneralSecurityException {
        KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, null);
        return store;
    }

    /** Changes when a file does. */
    List<Object> version() {
        List<Object> version = new ArrayList<>();
        for (Path path : new Path[] {authorities, certificate, key}) {
            if (path != null) {
                try {
                    FileTime time = Files.getLastModifiedTime(path);
                    version.add(List.of(time, Files.size(path)));
                } catch (IOException error) {
                    version.add("unreadable");
                }
            }
        }
        return version;
    }
}
