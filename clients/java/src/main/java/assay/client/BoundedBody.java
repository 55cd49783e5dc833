package assay.client;

import java.io.ByteArrayOutputStream;
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

    /** @param announced the length that the head of the answer says; 0 if it says none */
    BoundedBody(int status, long limit, long announced) {
        this.status = status;
        this.limit = limit;
        if (announced > limit) {
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
