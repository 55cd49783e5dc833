package assay.client;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Why a call has no answer: an error of the daemon, of the way to it, or of the caller. A rejection of evidence is a verdict, and no error.
 *
 * <p>It is unchecked: what to do about it follows from {@link #retry()}, mostly in one place for all calls.
 */
public final class AssayException extends RuntimeException {
    private static final long serialVersionUID = 1;
    private static final int MESSAGE_LIMIT = 1000;
    private static final int TYPE_LIMIT = 64;
    /** Of the errors that say that the daemon did not begin the call. */
    private static final Set<String> NOT_BEGUN =
            Set.of("connect_failed", "going_away", "too_many_calls", "overloaded", "body_timeout");
    private static final Set<Integer> PASSING_STATUSES = Set.of(408, 429, 502, 503, 504);

    private final Code code;
    private final String reason;
    private final String retryText;
    private final transient Duration retryAfter;
    private final String link;
    private final int httpStatus;
    private final int attempts;

    private AssayException(
            Code code, String reason, String message, String retryText, Duration retryAfter, String link, int httpStatus, int attempts,
            Throwable cause) {
        super(printable(message, MESSAGE_LIMIT), cause);
        this.code = code;
        this.reason = reason;
        this.retryText = retryText;
        this.retryAfter = retryAfter;
        this.link = link;
        this.httpStatus = httpStatus;
        this.attempts = attempts;
    }

    /** An error that the client makes itself. */
    static AssayException own(Code code, String reason, Retry retry, String message, Throwable cause) {
        return new AssayException(code, reason, message, retry.text(), null, page(reason), 0, 0, cause);
    }

    static AssayException badOption(String option, String why) {
        return own(Code.INVALID_ARGUMENT, "bad_option", Retry.NEVER, option + ": " + why, null);
    }

    static AssayException badRequest(String why) {
        return own(Code.INVALID_ARGUMENT, "bad_request", Retry.NEVER, why, null);
    }

    static AssayException unavailable(String reason, String why, Throwable cause) {
        return own(Code.UNAVAILABLE, reason, Retry.LATER, why, cause);
    }

    static AssayException timeout() {
        String message = "the time-out passed before the answer came; whether the call was done is unknown";
        return own(Code.DEADLINE_EXCEEDED, "timeout", Retry.LATER, message, null);
    }

    static AssayException undecodable(int status, String why) {
        String message = "the answer is not what the method returns: " + why;
        return own(Code.INTERNAL, "undecodable_reply", Retry.CONTACT_OPERATOR, message, null).with(status, null);
    }

    static AssayException tooLarge(int status, long limit) {
        String message = "the answer is longer than " + limit + " bytes";
        return own(Code.INTERNAL, "reply_too_large", Retry.CONTACT_OPERATOR, message, null).with(status, null);
    }

    /** The answer is none of the daemon's. */
    static AssayException foreign(int status, String contentType, Duration retryAfter) {
        boolean isPassing = PASSING_STATUSES.contains(status);
        Code code =
                isPassing ? Code.UNAVAILABLE
                : status == 401 ? Code.UNAUTHENTICATED
                : status == 403 ? Code.PERMISSION_DENIED
                : status == 404 ? Code.UNIMPLEMENTED
                : Code.UNKNOWN;
        String type = contentType.isEmpty() ? "no content type" : printable(contentType, TYPE_LIMIT);
        String message = "the answer (status " + status + ", " + type
                + ") is not the daemon's: another server or a proxy gave it; whether the call was done is unknown";
        return own(code, "foreign_answer", isPassing ? Retry.LATER : Retry.CONTACT_OPERATOR, message, null).with(status, retryAfter);
    }

    /**
     * The error that the body of an answer is.
     *
     * @param retryAfter what the header field says; may be null
     * @return null if it is none of the daemon's
     */
    static AssayException ofAnswer(int status, Map<?, ?> body, Duration retryAfter) {
        if (!(body.get("code") instanceof String)) {
            return null;
        }
        Code code = Code.named((String) body.get("code"));
        Object details = body.get("details");
        StatusDetails found = StatusDetails.of(details instanceof List ? (List<?>) details : List.of());
        String message = body.get("message") instanceof String ? (String) body.get("message") : "";
        return new AssayException(
                code, found.reason, message, found.retry.isEmpty() ? code.usualRetry.text() : found.retry,
                found.retryAfter == null ? retryAfter : found.retryAfter, found.link.isEmpty() ? page(found.reason) : found.link, status, 0,
                null);
    }

    private AssayException with(int status, Duration retryAfter) {
        return new AssayException(code, reason, getMessage(), retryText, retryAfter, link, status, attempts, getCause());
    }

    /** This error of a call that was tried so often; documented below an address, if it is given. */
    AssayException of(int attempts, String documentation) {
        String base = documentation == null || link.startsWith("https://") ? "" : documentation.replaceAll("/+$", "") + "/";
        return new AssayException(
                code, reason, getMessage(), retryText, retryAfter, base + link, httpStatus, attempts, getCause());
    }

    public Code code() {
        return code;
    }

    /** A stable word for machines; empty if the answer has none. */
    public String reason() {
        return reason;
    }

    /** What may be done about it. */
    public Retry retry() {
        return Retry.named(retryText);
    }

    /** The word for {@link #retry()}, also one that this version does not know. */
    public String retryText() {
        return retryText;
    }

    /** When trying again may help, if that is known. */
    public Optional<Duration> retryAfter() {
        return Optional.ofNullable(retryAfter);
    }

    /** Where it is documented: an address, or a path in the project. */
    public String link() {
        return link;
    }

    /** Of the last answer; 0 without one. */
    public int httpStatus() {
        return httpStatus;
    }

    /** How often the call was sent, or was to be sent. */
    public int attempts() {
        return attempts;
    }

    /** Whether the daemon certainly did not begin the call, so that repeating it is safe in any case. */
    public boolean wasNotBegun() {
        return NOT_BEGUN.contains(reason);
    }

    @Override
    public String toString() {
        String name = reason.isEmpty() ? code.text() : code.text() + " (" + reason + ")";
        return name + ": " + getMessage() + " [retry: " + retryText + "; see " + link + "]";
    }

    /** The page of the project that has the reason. */
    private static String page(String reason) {
        switch (reason) {
            case "bad_option":
            case "bad_request":
            case "connect_failed":
            case "tls_failed":
            case "connection_lost":
            case "protocol_broken":
            case "timeout":
            case "foreign_answer":
            case "reply_too_large":
            case "undecodable_reply":
            case "interrupted":
                return "clients/README.md#errors";
            case "permission_denied":
            case "credential_refused":
                return "docs/operate/callers.md#when-it-does-not-work";
            case "overloaded":
            case "rate_limited":
            case "too_many_calls":
                return "docs/reference/configuration/limits.md";
            case "uploads_not_configured":
            case "tamper_detected":
            case "too_many_open_uploads":
                return "docs/reference/uploads.md#errors";
            default:
                boolean isOfUploads = reason.startsWith("upload_") || reason.startsWith("chunk_");
                return isOfUploads ? "docs/reference/uploads.md#errors" : "docs/reference/http.md#errors";
        }
    }

    /** Cut to {@code limit} characters, with a space for each control character. */
    private static String printable(String text, int limit) {
        int end = text.codePointCount(0, text.length()) <= limit ? text.length() : text.offsetByCodePoints(0, limit);
        StringBuilder shown = new StringBuilder(text.substring(0, end));
        for (int at = 0; at < shown.length(); at++) {
            if (Character.isISOControl(shown.charAt(at))) {
                shown.setCharAt(at, ' ');
            }
        }
        return shown.toString();
    }
}
