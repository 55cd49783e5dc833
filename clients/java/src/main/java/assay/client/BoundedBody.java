package assay.client;

import java.io.ByteArrayOutputStream;
import java.net.ProtocolException;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodySubscriber;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;

/** Takes the body of an answer, and ends the exchange when it is longer than it may be. */
final class BoundedBody implements BodySubscriber<byte[]> {
    /** The body is too long. */
    static final class TooLong extends Exception {
        private static final long serialVersionUID = 1;
        final int status;

        TooLong(int status) {
            this.status = status;
        }
    }

    private final int status;
    private final long limit;
    private final CompletableFuture<byte[]> whole = new CompletableFuture<>();
    private final ByteArrayOutputStream received = new ByteArrayOutputStream();
    private Flow.Subscription subscription;

    BoundedBody(HttpResponse.ResponseInfo head, long limit) {
        this.status = head.statusCode();
        this.limit = limit;
        List<String> lengths = head.headers().allValues("content-length");
        boolean isChunked = head.headers().firstValue("transfer-encoding").isPresent();
        if (lengths.isEmpty()) {
            return;
        }
        // The JDK takes one of several lengths, and a negative one for none: a proxy may see another end of the answer.
        if (lengths.stream().distinct().count() > 1 || !lengths.get(0).matches("[0-9]{1,18}") || isChunked) {
            whole.completeExceptionally(new ProtocolException("the length of the answer is not one number"));
        } else if (Long.parseLong(lengths.get(0)) > limit) {
            whole.completeExceptionally(new TooLong(status));
        }
    }

    @Override
    public CompletionStage<byte[]> getBody() {
        return whole;
    }

    @Override
    public void onSubscribe(Flow.Subscription subscription) {
        this.subscription = subscription;
        if (whole.isDone()) {
            subscription.cancel();
        } else {
            subscription.request(1);
        }
    }

    @Override
    public void onNext(List<ByteBuffer> buffers) {
        for (ByteBuffer buffer : buffers) {
            if (buffer.remaining() > limit - received.size()) {
                subscription.cancel();
                whole.completeExceptionally(new TooLong(status));
                return;
            }
            byte[] bytes = new byte[buffer.remaining()];
            buffer.get(bytes);
            received.write(bytes, 0, bytes.length);
        }
        subscription.request(1);
    }

    @Override
    public void onError(Throwable error) {
        whole.completeExceptionally(error);
    }

    @Override
    public void onComplete() {
        whole.complete(received.toByteArray());
    }
}
