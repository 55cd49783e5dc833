package assay.testing;

/** The server was not found, did not start, ended, or did not answer in time. */
public class ServerException extends RuntimeException {
    private static final long serialVersionUID = 1;

    ServerException(String message) {
        super(message);
    }

    ServerException(String message, Throwable cause) {
        super(message, cause);
    }
}
