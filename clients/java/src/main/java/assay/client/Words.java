package assay.client;

/** Texts that go into a head of HTTP: nothing in them can end a line. */
final class Words {
    private Words() {}

    /** Whether a text has 1 to {@code limit} characters of ! to ~. */
    static boolean isVisible(String text, int limit) {
        return !text.isEmpty() && text.length() <= limit && text.chars().allMatch(character -> character > ' ' && character < 0x7F);
    }

    /** Whether a text may stand in a path: A-Z, a-z, 0-9, '.' and '_'. */
    static boolean isOfPath(String text) {
        return text.matches("[A-Za-z0-9._]+");
    }
}
