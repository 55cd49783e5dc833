/** A client of {@code assayd}, which judges device attestations, over HTTP. */
module assay.client {
    requires java.net.http;

    exports assay.client;
}
