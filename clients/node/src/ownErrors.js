import { AssayError } from './errors.js';

/** The errors that a client makes itself, by their reason. */
const KINDS = Object.freeze({
    bad_option: { code: 'invalid_argument', retry: 'never' },
    bad_request: { code: 'invalid_argument', retry: 'never' },
    connect_failed: { code: 'unavailable', retry: 'later' },
    tls_failed: { code: 'unavailable', retry: 'contact_operator' },
    connection_lost: { code: 'unavailable', retry: 'later' },
    protocol_broken: { code: 'unavailable', retry: 'later' },
    timeout: { code: 'deadline_exceeded', retry: 'later' },
    cancelled: { code: 'canceled', retry: 'never' },
    reply_too_large: { code: 'internal', retry: 'contact_operator' },
    undecodable_reply: { code: 'internal', retry: 'contact_operator' },
});

/**
 * @param {keyof typeof KINDS} reason
 * @param {string} message
 * @param {{ cause?: unknown, httpStatus?: number }} [more]
 */
export function ownError(reason, message, more = {}) {
    return new AssayError({ ...KINDS[reason], reason, message, ...more });
}
