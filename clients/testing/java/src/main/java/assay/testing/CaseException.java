package assay.testing;

/** The server cannot make what was asked for. */
public final class CaseException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final String code;

    CaseException(String code, String message) {
        super(message);
        this.code = code;
    }

    /** A stable word, such as {@code unknown_case}. */
    public String code() {
        return code;
    }
}
