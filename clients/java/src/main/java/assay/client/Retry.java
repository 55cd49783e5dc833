package assay.client;

import java.util.Locale;

/** What may be done about a rejection or an error: a retry class of {@code docs/reference/reason-codes.md}. */
public enum Retry {
    /** Not said: of accepted verdicts. */
    UNSPECIFIED,
    /** The same request can never succeed. */
    NEVER,
    /** Request a new challenge, and let the device sign again with the same key. */
    NEW_CHALLENGE,
    /** Let the device make and attest a new key. */
    RE_ATTEST,
    /** Nothing is wrong with the request; try again. */
    LATER,
    /** Only an operator can help. */
    CONTACT_OPERATOR,
    /** A word that this version does not know; the text beside it has it. */
    UNRECOGNIZED;

    /** In lower case, as in the documentation. */
    public String text() {
        return this == UNSPECIFIED ? "" : name().toLowerCase(Locale.ROOT);
    }

    static Retry named(String text) {
        for (Retry retry : values()) {
            if (retry != UNRECOGNIZED && retry.text().equals(text)) {
                return retry;
            }
        }
        return UNRECOGNIZED;
    }
}
