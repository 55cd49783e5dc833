import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import { parseAddress } from '../src/address.js';
import { AssayClient } from '../src/index.js';
import { pauseAfter } from '../src/retries.js';

const URL = 'https://assay.example.org';

describe('Options', () => {
    test('a wrong one is named', async (t) => {
        const folder = await mkdtemp(join(tmpdir(), 'assay-client-'));
        t.after(() => rm(folder, { recursive: true }));
        const empty = join(folder, 'empty.pem');
        await writeFile(empty, '');
        const wrong = {
            url: [{ url: '' }, {}, { url: 'assay.example.org' }, { url: `${URL}?a` }, { url: 'https://me@assay.example.org' }, { url: 'http+unix:relative' }],
            apiKey: [{ url: URL, apiKey: 'a\nb' }, { url: URL, apiKey: '' }, { url: 'http://127.0.0.1', apiKey: 'k' }],
            caFile: [{ url: URL, caFile: join(folder, 'none') }, { url: URL, caFile: empty }, { url: 'http://127.0.0.1', caFile: empty }],
            certificateFile: [{ url: URL, certificateFile: empty }, { url: URL, certificateFile: empty, keyFile: empty }],
            keyFile: [{ url: URL, keyFile: empty }],
            timeoutMs: [{ url: URL, timeoutMs: 0 }, { url: URL, timeoutMs: '5' }, { url: URL, timeoutMs: NaN }],
            connectTimeoutMs: [{ url: URL, connectTimeoutMs: -1 }],
            tries: [{ url: URL, tries: 0 }, { url: URL, tries: 1.5 }],
            idempotencyKeys: [{ url: URL, idempotencyKeys: 'no' }],
            maxAnswerBytes: [{ url: URL, maxAnswerBytes: 0 }],
            documentation: [{ url: URL, documentation: 'a b' }],
            timeout: [{ url: URL, timeout: 5 }],
        };
        for (const [name, all] of Object.entries(wrong)) {
            for (const options of all) {
                assert.throws(() => new AssayClient(options), (error) => error.reason === 'bad_option' && error.code === 'invalid_argument' && error.message.includes(name), JSON.stringify(options));
            }
        }
    });

    test('addresses are read', () => {
        const parts = (text) => {
            const { isEncrypted, host, port, prefix } = parseAddress(text) ?? assert.fail(text);
            return [isEncrypted, host, port, prefix];
        };
        assert.deepEqual(parts('https://a.example'), [true, 'a.example', 443, '']);
        assert.deepEqual(parts('http://127.0.0.1:7422/'), [false, '127.0.0.1', 7422, '']);
        assert.deepEqual(parts('https://[::1]:8443/a/b/'), [true, '::1', 8443, '/a/b']);
        assert.equal(parseAddress('http+unix:/run/assay/http.sock')?.socketPath, '/run/assay/http.sock');
        for (const text of ['http://a:0', 'http://a:65536', 'http://a:', 'http://::1', 'ftp://a', 'http://a#b', 'http://a b', `http+unix:/${'a'.repeat(107)}`]) assert.equal(parseAddress(text), undefined, text);
    });

    test('pauses are a fifth longer or shorter, and at most 36 s', () => {
        assert.deepEqual([1, 2, 5, 6, 60].map((attempt) => pauseAfter(attempt, undefined, 0.5)), [1000, 2000, 16_000, 30_000, 30_000]);
        assert.deepEqual([0, 1].map((chance) => pauseAfter(1, undefined, chance)), [800, 1200]);
        assert.deepEqual([0, 1].map((chance) => pauseAfter(1, 60_000, chance)), [60_000, 72_000]);
        assert.equal(pauseAfter(3, 1000, 0.5), 4000);
    });
});
