import { pageOf } from './links.js';

/** Connect's names of gRPC's codes. */
export const CODES = Object.freeze([
    'canceled', 'unknown', 'invalid_argument', 'deadline_exceeded', 'not_found', 'already_exists', 'permission_denied',
    'resource_exhausted', 'failed_precondition', 'aborted', 'out_of_range', 'unimplemented', 'internal', 'unavailable', 'data_loss',
    'unauthenticated',
]);

const LATER = new Set(['unavailable', 'resource_exhausted', 'deadline_exceeded', 'aborted', 'canceled', 'unknown']);
const NEVER = new Set(['invalid_argument', 'not_found', 'already_exists', 'out_of_range']);

/** Reasons that say that a call reached no method, so that repeating it is safe with any method. */
const NOT_BEGUN = new Set(['connect_failed', 'going_away', 'too_many_calls', 'overloaded', 'body_timeout']);

/** The longest message, in characters. */
const MESSAGE_LIMIT = 1000;

/** Why a call has no answer. A rejection is a verdict and no error. */
export class AssayError extends Error {
    /**
     * @param {object} of
     * @param {string} of.code
     * @param {string} of.reason
     * @param {string} of.message
     * @param {string} [of.retry] without it, it follows from the code
     * @param {number} [of.retryAfterMs]
     * @param {string} [of.link] without it, the page of the reason
     * @param {number} [of.httpStatus]
     * @param {unknown} [of.cause]
     */
    constructor({ code, reason, message, retry, retryAfterMs, link, httpStatus, cause }) {
        super(printable(message), cause === undefined ? undefined : { cause });
        /** One of Connect's codes. */
        this.code = CODES.includes(code) ? code : 'unknown';
        /** The stable word; empty if the answer has none. */
        this.reason = reason;
        /** What may help. */
        this.retry = retry ?? retryOf(this.code);
        /** When trying again may help, in milliseconds from when the error was made. */
        this.retryAfterMs = retryAfterMs;
        /** Where it is documented: a page, behind the client's option `documentation`, or an address that the daemon named. */
        this.link = link ?? pageOf(reason);
        /** Of the last answer; 0 without one. */
        this.httpStatus = httpStatus ?? 0;
        /** How often the call was sent, or was to be sent. */
        this.attempts = 0;
    }

    /** All of it in one line, for logs. */
    toString() {
        const name = this.reason ? `${this.code} (${this.reason})` : this.code;
        return `AssayError: ${name}: ${this.message} [retry: ${this.retry}; see ${this.link}]`;
    }

    /** Whether the call certainly reached no method. */
    get wasNotBegun() {
        return NOT_BEGUN.has(this.reason);
    }
}

Object.defineProperty(AssayError.prototype, 'name', { value: 'AssayError', configurable: true, writable: true });

/**
 * What may help about an error that does not say it.
 *
 * @param {string} code
 */
function retryOf(code) {
    if (LATER.has(code)) return 'later';
    return NEVER.has(code) ? 'never' : 'contact_operator';
}

/**
 * Without control characters, and cut: messages are shown in terminals and logs.
 *
 * @param {string} text
 */
function printable(text) {
    return Array.from(text.slice(0, 2 * MESSAGE_LIMIT)).slice(0, MESSAGE_LIMIT).join('').replace(/[\u0000-\u001f\u007f-\u009f]/g, ' ');
}
