const PAGES = new Map([
    ...[
        'bad_option', 'bad_request', 'connect_failed', 'tls_failed', 'connection_lost', 'protocol_broken', 'timeout', 'foreign_answer',
        'reply_too_large', 'undecodable_reply',
    ].map((reason) => /** @type {[string, string]} */ ([reason, 'clients/README.md#errors'])),
    ['permission_denied', 'docs/callers.md#when-it-does-not-work'],
    ['credential_refused', 'docs/callers.md#when-it-does-not-work'],
    ['overloaded', 'docs/configuration/limits.md'],
    ['rate_limited', 'docs/configuration/limits.md'],
    ['too_many_calls', 'docs/configuration/limits.md'],
    ['uploads_not_configured', 'docs/uploads.md#errors'],
    ['tamper_detected', 'docs/uploads.md#errors'],
    ['too_many_open_uploads', 'docs/uploads.md#errors'],
]);

/**
 * The page of the project that explains a reason.
 *
 * @param {string} reason
 */
export function pageOf(reason) {
    return PAGES.get(reason) ?? (/^(upload|chunk)_/.test(reason) ? 'docs/uploads.md#errors' : 'docs/http.md#errors');
}
