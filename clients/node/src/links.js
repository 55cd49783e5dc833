const PAGES = new Map([
    ...[
        'bad_option', 'bad_request', 'connect_failed', 'tls_failed', 'connection_lost', 'protocol_broken', 'timeout', 'foreign_answer',
        'reply_too_large', 'undecodable_reply',
    ].map((reason) => /** @type {[string, string]} */ ([reason, 'clients/README.md#errors'])),
    ['permission_denied', 'docs/operate/callers.md#when-it-does-not-work'],
    ['credential_refused', 'docs/operate/callers.md#when-it-does-not-work'],
    ['overloaded', 'docs/reference/configuration/limits.md'],
    ['rate_limited', 'docs/reference/configuration/limits.md'],
    ['too_many_calls', 'docs/reference/configuration/limits.md'],
    ['uploads_not_configured', 'docs/reference/uploads.md#errors'],
    ['tamper_detected', 'docs/reference/uploads.md#errors'],
    ['too_many_open_uploads', 'docs/reference/uploads.md#errors'],
]);

/**
 * The page of the project that explains a reason.
 *
 * @param {string} reason
 */
export function pageOf(reason) {
    return PAGES.get(reason) ?? (/^(upload|chunk)_/.test(reason) ? 'docs/reference/uploads.md#errors' : 'docs/reference/http.md#errors');
}
