package assay.client;

import java.util.Locale;

/** Connect's names of gRPC's codes. */
public enum Code {
    CANCELED(Retry.LATER),
    UNKNOWN(Retry.LATER),
    INVALID_ARGUMENT(Retry.NEVER),
    DEADLINE_EXCEEDED(Retry.LATER),
    NOT_FOUND(Retry.NEVER),
    ALREADY_EXISTS(Retry.NEVER),
    PERMISSION_DENIED(Retry.CONTACT_OPERATOR),
    RESOURCE_EXHAUSTED(Retry.LATER),
    FAILED_PRECONDITION(Retry.CONTACT_OPERATOR),
    ABORTED(Retry.LATER),
    OUT_OF_RANGE(Retry.NEVER),
    UNIMPLEMENTED(Retry.CONTACT_OPERATOR),
    INTERNAL(Retry.CONTACT_OPERATOR),
    UNAVAILABLE(Retry.LATER),
    DATA_LOSS(Retry.CONTACT_OPERATOR),
    UNAUTHENTICATED(Retry.CONTACT_OPERATOR);

    /** What may help against an error that does not say it. */
    final Retry usualRetry;

    Code(Retry usualRetry) {
        this.usualRetry = usualRetry;
    }

    /** Connect's name of it, such as {@code not_found}. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** A name that is not known is {@link #UNKNOWN}. */
    static Code named(String text) {
        for (Code code : values()) {
            if (code.text().equals(text)) {
                return code;
            }
        }
        return UNKNOWN;
    }
}
