package assay.client;

import static assay.client.AllTests.equal;
import static assay.client.AllTests.reason;

import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsParameters;
import com.sun.net.httpserver.HttpsServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.TrustManagerFactory;

/** Connections over TLS with certificates made here. */
final class TlsTests implements AutoCloseable {
    /** Of a busy machine. */
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final Keytool keytool;
    private final List<HttpsServer> servers = new ArrayList<>();

    TlsTests() throws Exception {
        keytool = new Keytool();
        keytool.pair("ca", "bc:c=ca:true");
    }

    @Override
    public void close() throws java.io.IOException {
        servers.forEach(server -> server.stop(0));
        keytool.close();
    }

    /** A server that answers an empty object, and the port that it listens on. */
    private int server(String name, boolean asks, String protocol) throws Exception {
        KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(keytool.store(name), Keytool.PASSWORD.toCharArray());
        TrustManagerFactory trusted = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trusted.init(keytool.store(name));
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(keys.getKeyManagers(), trusted.getTrustManagers(), null);
        HttpsServer server = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setHttpsConfigurator(new HttpsConfigurator(context) {
            @Override
            public void configure(HttpsParameters parameters) {
                SSLParameters used = context.getDefaultSSLParameters();
                used.setProtocols(new String[] {protocol});
                used.setNeedClientAuth(asks);
                parameters.setSSLParameters(used);
            }
        });
        server.createContext("/", exchange -> {
            exchange.getRequestBody().readAllBytes();
            exchange.getResponseHeaders().set("content-type", "application/json");
            exchange.sendResponseHeaders(200, 2);
            exchange.getResponseBody().write("{}".getBytes());
            exchange.close();
        });
        server.start();
        servers.add(server);
        return server.getAddress().getPort();
    }

    private AssayClientBuilder options(String host, int port, String authority) {
        return AssayClient.at("https://" + host + ":" + port).caFile(keytool.pem(authority)).tries(1).timeout(PATIENCE).connectTimeout(PATIENCE);
    }

    /** The JDK's server closes without an alert where it refuses a client, so that the client cannot always tell why. */
    private static void isRefused(AssayClient client) {
        String reason = reason(client::whoAmI);
        AllTests.isTrue(List.of("tls_failed", "connect_failed", "connection_lost").contains(reason), reason);
    }

    @Test
    void trustsItsCaAndTheNameOfTheAddressAlone() throws Exception {
        keytool.pair("other", "bc:c=ca:true");
        keytool.pair("named");
        keytool.sign("named", "ca", "san=dns:localhost");
        keytool.pair("unnamed");
        keytool.sign("unnamed", "ca");
        int port = server("named", false, "TLSv1.3");
        options("localhost", port, "ca").build().whoAmI();
        equal("tls_failed", reason(() -> options("localhost", port, "other").build().whoAmI()));
        equal("tls_failed", reason(() -> options("127.0.0.1", port, "ca").build().whoAmI()));
        // Not among those that Java trusts.
        equal("tls_failed", reason(() -> AssayClient.at("https://localhost:" + port).tries(1).timeout(PATIENCE).connectTimeout(PATIENCE).build().whoAmI()));
        // The common name of these certificates is localhost.
        int unnamed = server("unnamed", false, "TLSv1.3");
        equal("tls_failed", reason(() -> options("localhost", unnamed, "ca").build().whoAmI()));
        int old = server("named", false, "TLSv1.2");
        isRefused(options("localhost", old, "ca").build());
    }

    @Test
    void showsItsCertificateAndTakesNewFiles() throws Exception {
        keytool.pair("named");
        keytool.sign("named", "ca", "san=dns:localhost");
        keytool.pair("stranger");
        keytool.pair("caller");
        keytool.sign("caller", "ca", "eku=clientAuth");
        int port = server("named", true, "TLSv1.3");
        isRefused(options("localhost", port, "ca").build());
        AssayClient client = options("localhost", port, "ca").clientCertificate(keytool.pem("stranger"), keytool.key("stranger")).build();
        isRefused(client);
        Files.copy(keytool.pem("caller"), keytool.pem("stranger"), StandardCopyOption.REPLACE_EXISTING);
        Files.copy(keytool.key("caller"), keytool.folder.resolve("stranger.key"), StandardCopyOption.REPLACE_EXISTING);
        // The client looks at its files once a second.
        for (long end = System.nanoTime() + PATIENCE.toNanos(); ; Thread.sleep(100)) {
            try {
                client.whoAmI();
                return;
            } catch (AssayException error) {
                if (System.nanoTime() > end) {
                    throw error;
                }
            }
        }
    }

    @Test
    void refusesAKeyThatIsNotTheCertificates() throws Exception {
        keytool.pair("other");
        AssayException error =
                AllTests.thrown(
                        AssayException.class,
                        () -> options("localhost", 1, "ca").clientCertificate(keytool.pem("ca"), keytool.key("other")).build());
        equal("bad_option", error.reason());
        equal("keyFile", error.getMessage().split(":")[0]);
    }
}
