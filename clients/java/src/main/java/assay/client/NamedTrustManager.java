package assay.client;

import java.net.Socket;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.Collection;
import java.util.List;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedTrustManager;

/**
 * Trusts what another one trusts, if the certificate has an alternative name. Without one Java compares the common name, which does not count
 * (RFC 9525 §2).
 */
final class NamedTrustManager extends X509ExtendedTrustManager {
    private static final Integer DNS_NAME = 2;
    private static final Integer IP_ADDRESS = 7;

    private final X509ExtendedTrustManager other;

    NamedTrustManager(X509ExtendedTrustManager other) {
        this.other = other;
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) throws CertificateException {
        other.checkServerTrusted(chain, type, engine);
        // For an address Java compares addresses alone; for a name it falls back to the common name if there is no DNS name.
        Collection<List<?>> names = chain[0].getSubjectAlternativeNames();
        boolean isAddress = engine.getPeerHost() != null && engine.getPeerHost().matches("[0-9.]+|.*:.*");
        Integer kind = isAddress ? IP_ADDRESS : DNS_NAME;
        if (names == null || names.stream().noneMatch(name -> kind.equals(name.get(0)))) {
            throw new CertificateException("the certificate has no alternative name for " + engine.getPeerHost());
        }
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) throws CertificateException {
        throw new CertificateException("connections of this client have an engine");
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type) throws CertificateException {
        throw new CertificateException("connections of this client have an engine");
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) throws CertificateException {
        throw new CertificateException("this is a client");
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) throws CertificateException {
        throw new CertificateException("this is a client");
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type) throws CertificateException {
        throw new CertificateException("this is a client");
    }

    @Override
    public X509Certificate[] getAcceptedIssuers() {
        return other.getAcceptedIssuers();
    }
}
