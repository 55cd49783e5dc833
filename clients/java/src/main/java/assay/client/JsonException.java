package assay.client;

/** A text is not JSON as it is read here. */
public final class JsonException extends Exception {
    private static final long serialVersionUID = 1;

    /** @param offset the place, in characters from the beginning */
    JsonException(int offset, String message) {
        super("invalid JSON at character " + offset + ": " + message);
    }
}
