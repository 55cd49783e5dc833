package assay.client;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.ResolverStyle;
import java.util.Locale;

/** A date of the form {@code Sun, 06 Nov 1994 08:49:37 GMT} (RFC 9110 §5.6.7, IMF-fixdate). */
final class HttpDate {
    private static final DateTimeFormatter FORM =
            DateTimeFormatter.ofPattern("EEE, dd MMM uuuu HH:mm:ss 'GMT'", Locale.ENGLISH).withResolverStyle(ResolverStyle.STRICT);

    private HttpDate() {}

    /** Null if the text is not of the form. */
    static Instant parse(String text) {
        try {
            return LocalDateTime.parse(text, FORM).toInstant(ZoneOffset.UTC);
        } catch (DateTimeException error) {
            return null;
        }
    }
}
