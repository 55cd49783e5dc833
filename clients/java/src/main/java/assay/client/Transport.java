package assay.client;

import java.io.EOFException;
import java.net.ConnectException;
import java.net.ProtocolException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.channels.UnresolvedAddressException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;

/**
 * Sends requests by the JDK's client, which keeps connections, and says what became of each.
 *
 * <p>HTTP/1.1 alone: with HTTP/2 an older JDK does not tell a call that the daemon did not begin from one that was lost.
 */
final class Transport {
    /** How often the files of TLS are looked at. */
    private static final long LOOK_NANOSECONDS = 1_000_000_000;
    private static final int CAUSE_LIMIT = 16;

    private final Address address;
    private final TlsFiles files;
    private final Duration connectTimeout;
    private final long answerLimit;
    private HttpClient http;
    private List<Object> version;
    private long looked;

    Transport(Address address, TlsFiles files, Duration connectTimeout, long answerLimit) {
        this.address = address;
        this.files = files;
        this.connectTimeout = connectTimeout;
        this.answerLimit = answerLimit;
        this.version = files.version();
        this.http = client();
        this.looked = System.nanoTime();
    }

    private HttpClient client() {
        HttpClient.Builder builder =
                HttpClient.newBuilder()
                        .version(HttpClient.Version.HTTP_1_1)
                        .followRedirects(HttpClient.Redirect.NEVER)
                        .proxy(HttpClient.Builder.NO_PROXY)
                        .connectTimeout(connectTimeout);
        if (address.isEncrypted) {
            SSLParameters parameters = new SSLParameters();
            parameters.setProtocols(new String[] {"TLSv1.3"});
            builder.sslContext(files.context()).sslParameters(parameters);
        }
        return builder.build();
    }

    /** The JDK's client for the files as they are now. While they cannot be used, the earlier ones count. */
    private synchronized HttpClient current() {
        long now = System.nanoTime();
        if (address.isEncrypted && now - looked > LOOK_NANOSECONDS) {
            looked = now;
            List<Object> found = files.version();
            if (!found.equals(version)) {
                try {
                    http = client();
                    version = found;
                } catch (AssayException error) {
                    return http;
                }
            }
        }
        return http;
    }

    /** Drops the connections that no call uses, where the JDK lets it: from Java 21 on. Before, they end by themselves. */
    synchronized void close() {
        if (http instanceof AutoCloseable) {
            try {
                ((AutoCloseable) http).close();
            } catch (Exception error) {
                throw new IllegalStateException("an HttpClient closes without an exception", error);
            }
        }
    }

    /** Sends a request, and throws {@link AssayException} unless there is an answer. */
    HttpResponse<byte[]> exchange(String path, String body, List<String> headers, Duration limit) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(address.base + "/" + path));
        request.POST(HttpRequest.BodyPublishers.ofString(body)).headers(headers.toArray(new String[0]));
        CompletableFuture<HttpResponse<byte[]>> answer =
                current().sendAsync(request.build(), head -> new BoundedBody(head, answerLimit));
        try {
            return answer.get(Math.max(1, limit.toNanos()), TimeUnit.NANOSECONDS);
        } catch (TimeoutException error) {
            answer.cancel(true);
            throw AssayException.timeout();
        } catch (InterruptedException error) {
            answer.cancel(true);
            throw interrupted(error);
        } catch (ExecutionException error) {
            throw failure(error.getCause());
        }
    }

    static AssayException interrupted(InterruptedException error) {
        Thread.currentThread().interrupt();
        String message = "the thread was interrupted; whether the call was done is unknown";
        return AssayException.own(Code.CANCELED, "interrupted", Retry.LATER, message, error);
    }

    private AssayException failure(Throwable error) {
        List<Throwable> causes = new ArrayList<>();
        for (Throwable cause = error; cause != null && causes.size() < CAUSE_LIMIT; cause = cause.getCause()) {
            causes.add(cause);
        }
        for (Throwable cause : causes) {
            if (cause instanceof BoundedBody.TooLong) {
                return AssayException.tooLarge(((BoundedBody.TooLong) cause).status, answerLimit);
            }
            if (cause instanceof HttpConnectTimeoutException) {
                String why = "no connection within " + connectTimeout.toMillis() + " ms";
                return AssayException.unavailable("connect_failed", address.base + ": " + why, error);
            }
            if (cause instanceof UnresolvedAddressException) {
                return AssayException.unavailable("connect_failed", address.base + ": the name has no address", error);
            }
            if (cause instanceof SSLException) {
                return ofTls((SSLException) cause, causes, error);
            }
            if (cause instanceof ProtocolException) {
                return AssayException.unavailable("protocol_broken", "the answer is not HTTP/1.1: " + cause.getMessage(), error);
            }
        }
        if (causes.stream().anyMatch(ConnectException.class::isInstance)) {
            return AssayException.unavailable("connect_failed", address.base + ": " + error.getMessage(), error);
        }
        String why = "the connection ended before the answer came (" + error.getMessage() + "); whether the call was done is unknown";
        return AssayException.unavailable("connection_lost", why, error);
    }

    private AssayException ofTls(SSLException cause, List<Throwable> causes, Throwable error) {
        String why = address.base + ": TLS: " + cause.getMessage();
        // The JDK makes an exception of its own of an end without an alert, and says it in its text alone.
        boolean isEnd = causes.stream().anyMatch(EOFException.class::isInstance) || why.contains("terminated the handshake");
        return isEnd
                ? AssayException.unavailable("connect_failed", why, error)
                : AssayException.own(Code.UNAVAILABLE, "tls_failed", Retry.CONTACT_OPERATOR, why, error);
    }
}
