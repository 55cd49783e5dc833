package assay.client;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/** The clock, the pauses and the random numbers of a client, which tests replace. Time-outs of the network are always real. */
public interface Time {
    /** Nanoseconds since some instant, as {@link System#nanoTime()}. */
    default long nanoTime() {
        return System.nanoTime();
    }

    default void sleep(Duration pause) throws InterruptedException {
        Thread.sleep(pause.toMillis(), pause.toNanosPart() % 1_000_000);
    }

    /** From 0 to 1. */
    default double chance() {
        return ThreadLocalRandom.current().nextDouble();
    }

    /** The machine's. */
    static Time real() {
        return new Time() {};
    }
}
