import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { readAnswer } from '../src/answers.js';
import { readErrorInfo, readHelpLink, readRetryDelay } from '../src/errorDetails.js';
import { AssayError } from '../src/errors.js';
import { AssayClient } from '../src/index.js';
import { errorInfo, field, startServer } from './support/scriptedServer.js';

/** The error that an answer is. */
function errorOf(status, body, headers = {}) {
    try {
        readAnswer({ status, headers: { 'content-type': 'application/json', ...headers }, body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)) });
    } catch (error) {
        assert.ok(error instanceof AssayError);
        return error;
    }
    return assert.fail('the answer is no error');
}

describe('Errors of the daemon', () => {
    test('reason and retry are those of the details', () => {
        const error = errorOf(403, { code: 'permission_denied', message: 'not\nallowed', details: [errorInfo('permission_denied', 'contact_operator')] });
        assert.deepEqual(
            [error.code, error.reason, error.retry, error.message, error.httpStatus, error.link],
            ['permission_denied', 'permission_denied', 'contact_operator', 'not allowed', 403, 'docs/operate/callers.md#when-it-does-not-work']);
        assert.equal(error.wasNotBegun, false);
        assert.equal(
            String(error),
            'AssayError: permission_denied (permission_denied): not allowed [retry: contact_operator; see docs/operate/callers.md#when-it-does-not-work]');
    });

    test('without details, retry follows from the code', () => {
        assert.equal(errorOf(503, { code: 'unavailable' }).retry, 'later');
        assert.equal(errorOf(404, { code: 'not_found' }).retry, 'never');
        assert.equal(errorOf(500, { code: 'internal' }).retry, 'contact_operator');
        assert.equal(errorOf(500, { code: 'brand_new' }).code, 'unknown');
    });

    test('an answer of a proxy is told apart', () => {
        assert.deepEqual([errorOf(502, '<html>').reason, errorOf(502, '<html>').retry], ['foreign_answer', 'later']);
        assert.equal(errorOf(403, '{}').code, 'permission_denied');
        assert.equal(errorOf(200, '{}', { 'content-type': 'text/html' }).reason, 'foreign_answer');
        assert.equal(errorOf(302, '{"code":"unavailable"}').reason, 'foreign_answer');
        assert.equal(errorOf(200, '{}', { 'content-encoding': 'gzip' }).reason, 'foreign_answer');
        assert.equal(errorOf(429, 'slow down', { 'content-type': 'text/plain', 'retry-after': '3' }).retryAfterMs, 3000);
    });

    test('retry-after has seconds, or a date', () => {
        const after = (text) => errorOf(503, { code: 'unavailable' }, { 'retry-after': text }).retryAfterMs;
        assert.equal(after('2'), 2000);
        assert.equal(after('Sun, 06 Nov 1994 08:49:37 GMT'), 0);
        for (const other of ['', '-1', '1.5', '1234567890', 'tomorrow', 'Sunday, 06-Nov-94 08:49:37 GMT']) assert.equal(after(other), undefined);
    });

    test('a page of the documentation is linked where a client was told so', async (t) => {
        const { url } = await startServer(t, [{ status: 404, body: { code: 'not_found', message: 'why' } }]);
        const client = new AssayClient({ url, documentation: 'https://docs.example.org/assay/' });
        t.after(() => client.close());
        await assert.rejects(client.whoAmI(), { link: 'https://docs.example.org/assay/docs/reference/http.md#errors' });
    });

    test('an answer that is not what the method returns is no answer', () => {
        for (const body of ['[]', '{', '{"a":1}x', '"text"', '{"a":"\ud800']) assert.equal(errorOf(200, body).reason, 'undecodable_reply');
        assert.equal(errorOf(200, `{"a":${'['.repeat(100)}${']'.repeat(100)}}`).reason, 'undecodable_reply');
    });
});

describe('Details', () => {
    const duration = (...bytes) => field(1, Buffer.from(bytes));

    test('a reason of another domain is none', () => {
        assert.equal(readErrorInfo(Buffer.concat([field(1, 'x'), field(2, 'example.org')])), undefined);
    });

    test('a delay is rounded up to milliseconds', () => {
        assert.equal(readRetryDelay(duration(0x08, 2)), 2000);
        assert.equal(readRetryDelay(duration(0x08, 2, 0x10, 1)), 2001);
        assert.equal(readRetryDelay(duration(0x08, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01)), undefined);
    });

    test('a link is to a page by https', () => {
        const link = (url) => readHelpLink(field(1, Buffer.concat([field(1, 'see'), field(2, url)])));
        assert.equal(link('https://example.org/a'), 'https://example.org/a');
        assert.equal(link('javascript:alert(1)'), undefined);
        assert.equal(link('https://example.org/a b'), undefined);
    });

    test('every strict prefix of a message is read or refused, and nothing else happens', () => {
        const message = Buffer.from(errorInfo('overloaded', 'later').value, 'base64');
        for (let length = 0; length < message.length; length += 1) {
            try {
                readErrorInfo(message.subarray(0, length));
            } catch (error) {
                assert.ok(error instanceof RangeError);
            }
        }
    });
});
