package assay.client;

import java.net.URI;
import java.net.URISyntaxException;

/** Where a daemon is. */
final class Address {
    final boolean isEncrypted;
    /** What stands before the path of each method: scheme, host, port and a path without a slash at its end. */
    final String base;

    private Address(boolean isEncrypted, String base) {
        this.isEncrypted = isEncrypted;
        this.base = base;
    }

    /** Reads {@code https://host[:port][/path]} or {@code http://host[:port][/path]}. */
    static Address parse(String url) {
        if (url.startsWith("http+unix:")) {
            throw AssayException.badOption("url", "java.net.http has no Unix sockets");
        }
        boolean isEncrypted = url.startsWith("https://");
        if (!isEncrypted && !url.startsWith("http://")) {
            throw AssayException.badOption("url", "it is not https://host or http://host");
        }
        if (!Words.isVisible(url, 2000)) {
            throw AssayException.badOption("url", "it has a character that is not visible ASCII, or too many");
        }
        URI uri;
        try {
            uri = new URI(url).parseServerAuthority();
        } catch (URISyntaxException error) {
            throw AssayException.badOption("url", error.getReason());
        }
        if (uri.getHost() == null || uri.getHost().isEmpty()) {
            throw AssayException.badOption("url", "it has no host");
        }
        if (uri.getRawAuthority().endsWith(":") || uri.getPort() == 0 || uri.getPort() > 0xffff) {
            throw AssayException.badOption("url", "the port is not of 1 to 65535");
        }
        if (uri.getRawUserInfo() != null || uri.getRawQuery() != null || uri.getRawFragment() != null) {
            throw AssayException.badOption("url", "it has a user, a query or a fragment");
        }
        return new Address(isEncrypted, url.replaceAll("/+$", ""));
    }
}
