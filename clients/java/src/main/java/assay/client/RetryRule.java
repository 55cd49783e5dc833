package assay.client;

import java.time.Duration;

/** How long the pauses between the tries of a call are: 1 s, doubled each time, at most 30 s, a fifth longer or shorter by chance. */
final class RetryRule {
    private static final double BASE = 1;
    private static final double CAP = 30;
    private static final double JITTER = 0.2;
    private static final double NANOSECONDS = 1e9;
    /** Longer than any time-out. */
    private static final double LONGEST = 1e10;

    private RetryRule() {}

    /**
     * The pause after a try, counted from 1.
     *
     * @param least the time that the error names, or null. The pause does not end before it, and is spread out after it
     * @param chance from 0 to 1
     */
    static Duration pause(int after, Duration least, double chance) {
        double usual = Math.min(BASE * Math.pow(2, after - 1), CAP) * (1 + JITTER * (2 * chance - 1));
        double named = least == null ? 0 : (least.getSeconds() + least.getNano() / NANOSECONDS) * (1 + JITTER * chance);
        double seconds = Math.min(Math.max(usual, named), LONGEST);
        return Duration.ofSeconds((long) seconds, Math.round((seconds - (long) seconds) * NANOSECONDS));
    }
}
