package assay.client;

import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Locale;

/** A server that answers by a script, and notes what it was sent. */
final class ScriptedServer implements Closeable {
    static final class Request {
        final int connection;
        /** The request line and the header fields. */
        final List<String> head;
        final String body;

        Request(int connection, List<String> head, String body) {
            this.connection = connection;
            this.head = head;
            this.body = body;
        }

        /** Null if it is not there. */
        String field(String name) {
            String start = name + ": ";
            return head.stream().filter(line -> line.toLowerCase(Locale.ROOT).startsWith(start))
                    .map(line -> line.substring(start.length())).findFirst().orElse(null);
        }
    }

    /** What the server does with a request: the bytes of an answer, and whether the connection stays. */
    static final class Step {
        final String answer;
        final boolean keeps;

        private Step(String answer, boolean keeps) {
            this.answer = answer;
            this.keeps = keeps;
        }
    }

    static Step answer(int status, String body) {
        return answer(status, "x: y", body);
    }

    static Step answer(int status, String field, String body) {
        int length = body.getBytes(StandardCharsets.UTF_8).length;
        String head = "HTTP/1.1 " + status + " -\r\ncontent-type: application/json\r\n" + field + "\r\ncontent-length: " + length;
        return new Step(head + "\r\n\r\n" + body, true);
    }

    /** Sends this and closes. */
    static Step raw(String text) {
        return new Step(text, false);
    }

    static Step end() {
        return raw("");
    }

    /** Does not answer. */
    static Step silence() {
        return new Step("", true);
    }

    final List<Request> requests = Collections.synchronizedList(new ArrayList<>());
    private final Deque<Step> steps;
    private final List<Socket> sockets = Collections.synchronizedList(new ArrayList<>());
    private final ServerSocket listener;

    ScriptedServer(Step... steps) throws IOException {
        this.steps = new ArrayDeque<>(Arrays.asList(steps));
        listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        start(this::accept);
    }

    String url() {
        return "http://127.0.0.1:" + listener.getLocalPort();
    }

    private static void start(Runnable task) {
        Thread thread = new Thread(task);
        thread.setDaemon(true);
        thread.start();
    }

    private void accept() {
        try {
            while (true) {
                Socket socket = listener.accept();
                sockets.add(socket);
                int connection = sockets.size() - 1;
                start(() -> serve(socket, connection));
            }
        } catch (IOException error) {
            // The listener was closed.
        }
    }

    private void serve(Socket socket, int connection) {
        try (socket) {
            for (Request request = read(socket, connection); request != null; request = read(socket, connection)) {
                requests.add(request);
                Step step;
                synchronized (steps) {
                    step = steps.isEmpty() ? answer(500, "{\"code\":\"internal\",\"message\":\"the script has no answer\"}") : steps.poll();
                }
                socket.getOutputStream().write(step.answer.getBytes(StandardCharsets.UTF_8));
                if (!step.keeps) {
                    return;
                }
            }
        } catch (IOException error) {
            // The client closed the connection.
        }
    }

    private static Request read(Socket socket, int connection) throws IOException {
        InputStream in = socket.getInputStream();
        List<String> head = new ArrayList<>();
        while (true) {
            ByteArrayOutputStream line = new ByteArrayOutputStream();
            for (int next = in.read(); next != '\n'; next = in.read()) {
                if (next < 0) {
                    return null;
                }
                line.write(next);
            }
            String text = line.toString(StandardCharsets.UTF_8).trim();
            if (text.isEmpty()) {
                break;
            }
            head.add(text);
        }
        String length = new Request(connection, head, "").field("content-length");
        byte[] body = in.readNBytes(length == null ? 0 : Integer.parseInt(length));
        return new Request(connection, head, new String(body, StandardCharsets.UTF_8));
    }

    /** Ends the server with its connections. */
    @Override
    public void close() throws IOException {
        listener.close();
        for (Socket socket : new ArrayList<>(sockets)) {
            socket.close();
        }
    }
}
