package assay.client;

import java.nio.file.Path;
import java.time.Duration;

/** How a client reaches the daemon, and how long it tries. {@link AssayClient#at} begins one. */
public final class AssayClientBuilder {
    private static final int KEY_LIMIT = 512;
    private static final int DOCUMENTATION_LIMIT = 1000;
    private static final Duration LEAST = Duration.ofMillis(1);
    /** Beyond this a time-out is none. */
    private static final Duration MOST = Duration.ofDays(365);

    private final String url;
    private Path caFile;
    private Path certificateFile;
    private Path keyFile;
    private Duration connectTimeout = Duration.ofSeconds(5);
    private long maxAnswerBytes = 8 << 20;
    String apiKey;
    Duration timeout = Duration.ofSeconds(30);
    int tries = 5;
    boolean makesKeys = true;
    String documentation;
    Time time = Time.real();
    Transport transport;

    AssayClientBuilder(String url) {
        this.url = url;
    }

    /** Of a caller that has one. It is sent over TLS only. */
    public AssayClientBuilder apiKey(String key) {
        apiKey = key;
        return this;
    }

    /** A PEM file: only certificates from these CAs are trusted. Without it those that Java trusts. */
    public AssayClientBuilder caFile(Path path) {
        caFile = path;
        return this;
    }

    /** PEM files of the certificate that the client shows, with its intermediates, and of its key. When they change, new connections have the new ones. */
    public AssayClientBuilder clientCertificate(Path certificate, Path key) {
        certificateFile = certificate;
        keyFile = key;
        return this;
    }

    /** Of a call with all its tries and pauses. 30 s unless it is set; {@link AssayClient#within} sets it for some calls. */
    public AssayClientBuilder timeout(Duration limit) {
        timeout = limit;
        return this;
    }

    /** For each connection. 5 s unless it is set. */
    public AssayClientBuilder connectTimeout(Duration limit) {
        connectTimeout = limit;
        return this;
    }

    /** In total. 5 unless it is set; 1: no retry. */
    public AssayClientBuilder tries(int tries) {
        this.tries = tries;
        return this;
    }

    /** Whether a call that takes an idempotency key and is given none gets a random one, so that it can be repeated. It does unless this is false. */
    public AssayClientBuilder idempotencyKeys(boolean makesKeys) {
        this.makesKeys = makesKeys;
        return this;
    }

    /** The longest body of an answer. 8 MiB unless it is set. */
    public AssayClientBuilder maxAnswerBytes(long limit) {
        maxAnswerBytes = limit;
        return this;
    }

    /** What the links of errors begin with, such as the address of a mirror of the documentation. */
    public AssayClientBuilder documentation(String base) {
        documentation = base;
        return this;
    }

    /** The clock and the pauses, for tests. */
    public AssayClientBuilder time(Time time) {
        this.time = time;
        return this;
    }

    /**
     * A client that connects for its first call.
     *
     * @throws AssayException with the reason {@code bad_option} if an option is wrong; the message names it
     */
    public AssayClient build() {
        try {
            check();
            return new AssayClient(this);
        } catch (AssayException error) {
            throw error.of(0, documentation);
        }
    }

    private void check() {
        Address address = Address.parse(url);
        if (apiKey != null) {
            require(Words.isVisible(apiKey, KEY_LIMIT), "apiKey", "it is not of 1 to 512 characters of ! to ~");
            require(address.isEncrypted, "apiKey", "it would be readable on the way: it takes https://");
        }
        require(timeout.compareTo(LEAST) >= 0 && timeout.compareTo(MOST) <= 0, "timeout", "it is not of 1 ms to 365 days");
        require(
                connectTimeout.compareTo(LEAST) >= 0 && connectTimeout.compareTo(MOST) <= 0, "connectTimeout",
                "it is not of 1 ms to 365 days");
        require(tries >= 1, "tries", "it is less than 1");
        require(maxAnswerBytes >= 1 && maxAnswerBytes < Integer.MAX_VALUE, "maxAnswerBytes", "it is not of 1 to 2147483646");
        String base = documentation;
        documentation = null;
        require(base == null || Words.isVisible(base, DOCUMENTATION_LIMIT), "documentation", "it is not of visible ASCII");
        documentation = base;
        require(caFile == null || address.isEncrypted, "caFile", "it takes an https:// address");
        require(certificateFile == null || address.isEncrypted, "certificateFile", "it takes an https:// address");
        require((certificateFile == null) == (keyFile == null), "certificateFile", "a certificate and its key stand together");
        transport = new Transport(address, new TlsFiles(caFile, certificateFile, keyFile), connectTimeout, maxAnswerBytes);
    }

    private static void require(boolean holds, String option, String why) {
        if (!holds) {
            throw AssayException.badOption(option, why);
        }
    }
}
