package assay.client;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;

/**
 * Runs the tests without a framework, which would need a registry. Arguments are names of classes, or none for all. The exit status is 1 if one
 * fails.
 */
public final class AllTests {
    private static final List<Class<?>> CLASSES =
            List.of(
                    JsonTests.class, StatusDetailsTests.class, AnswerTests.class, RetryRuleTests.class, AddressTests.class,
                    RequestTests.class, VerdictTests.class, PemTests.class, ClientTests.class, TlsTests.class, HandlerTests.class);

    private AllTests() {}

    public static void main(String[] arguments) throws ReflectiveOperationException {
        int count = 0;
        int failures = 0;
        for (Class<?> tests : CLASSES) {
            if (arguments.length > 0 && !Arrays.asList(arguments).contains(tests.getSimpleName())) {
                continue;
            }
            long start = System.nanoTime();
            Method[] methods = tests.getDeclaredMethods();
            Arrays.sort(methods, Comparator.comparing(Method::getName));
            for (Method method : methods) {
                if (method.isAnnotationPresent(Test.class)) {
                    count++;
                    failures += passes(tests, method) ? 0 : 1;
                }
            }
            System.out.printf("%s: %.1f s%n", tests.getSimpleName(), (System.nanoTime() - start) / 1e9);
        }
        System.out.println(count + " tests, " + failures + " failed");
        System.exit(failures == 0 && count > 0 ? 0 : 1);
    }

    private static boolean passes(Class<?> tests, Method method) throws ReflectiveOperationException {
        Object instance = tests.getDeclaredConstructor().newInstance();
        try {
            method.setAccessible(true);
            method.invoke(instance);
            return true;
        } catch (InvocationTargetException error) {
            System.out.println("FAILED " + tests.getSimpleName() + "." + method.getName());
            error.getCause().printStackTrace(System.out);
            return false;
        } finally {
            if (instance instanceof AutoCloseable) {
                try {
                    ((AutoCloseable) instance).close();
                } catch (Exception error) {
                    throw new IllegalStateException(error);
                }
            }
        }
    }

    static void equal(Object expected, Object actual) {
        if (!Objects.deepEquals(expected, actual)) {
            throw new AssertionError("expected: " + shown(expected) + ", found: " + shown(actual));
        }
    }

    private static String shown(Object value) {
        return value instanceof byte[] ? Arrays.toString((byte[]) value) : String.valueOf(value);
    }

    static void isTrue(boolean condition, String message) {
        if (!condition) {
            throw new AssertionError(message);
        }
    }

    interface Action {
        void run() throws Exception;
    }

    /** The exception of that type that an action throws. */
    static <E extends Exception> E thrown(Class<E> type, Action action) {
        try {
            action.run();
        } catch (Exception error) {
            if (type.isInstance(error)) {
                return type.cast(error);
            }
            throw new AssertionError("another exception", error);
        }
        throw new AssertionError("expected: " + type.getSimpleName());
    }

    /** The reason of the error of a call. */
    static String reason(Action action) {
        return thrown(AssayException.class, action).reason();
    }
}
