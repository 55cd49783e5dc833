package assay.client;

import static assay.client.AllTests.equal;

import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

final class RetryRuleTests {
    private static long milliseconds(int after, Duration least, double chance) {
        return RetryRule.pause(after, least, chance).toMillis();
    }

    @Test
    void pausesDoubleUpToTheCap() {
        List<Long> pauses = IntStream.rangeClosed(1, 8).mapToObj(after -> milliseconds(after, null, 0.5)).collect(Collectors.toList());
        equal(List.of(1000L, 2000L, 4000L, 8000L, 16000L, 30000L, 30000L, 30000L), pauses);
        equal(30000L, milliseconds(Integer.MAX_VALUE, null, 0.5));
    }

    @Test
    void pausesAreSpreadByAFifth() {
        equal(800L, milliseconds(1, null, 0));
        equal(1200L, milliseconds(1, null, 1));
    }

    @Test
    void aPauseNeverEndsBeforeTheTimeThatTheDaemonNames() {
        Duration least = Duration.ofSeconds(10);
        equal(10000L, milliseconds(1, least, 0));
        equal(12000L, milliseconds(1, least, 1));
        equal(16000L, milliseconds(5, least, 0.5));
        milliseconds(1, Duration.ofSeconds(Long.MAX_VALUE), 1);
    }

    @Test
    void chanceIsAShare() {
        for (int count = 0; count < 1000; count++) {
            double chance = Time.real().chance();
            AllTests.isTrue(chance >= 0 && chance <= 1, "chance " + chance);
        }
    }
}
