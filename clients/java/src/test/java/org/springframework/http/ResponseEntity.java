package org.springframework.http;

/** Stands in for Spring's class of this name, which is not on this machine: a status and a body. */
public final class ResponseEntity<T> {
    private final int status;
    private final T body;

    private ResponseEntity(int status, T body) {
        this.status = status;
        this.body = body;
    }

    public static BodyBuilder status(int status) {
        return new BodyBuilder(status);
    }

    public int getStatusCodeValue() {
        return status;
    }

    public T getBody() {
        return body;
    }

    public static final class BodyBuilder {
        private final int status;

        private BodyBuilder(int status) {
            this.status = status;
        }

        public <T> ResponseEntity<T> body(T body) {
            return new ResponseEntity<>(status, body);
        }
    }
}
