import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import { AssayClient } from '../src/client.js';
import { errorInfo, fakeTime, startServer } from './support/scriptedServer.js';

const CHALLENGE = { challenge: 'AAECAwQF', expiresAtUnixMs: '1776124800000' };
const UNAVAILABLE = { status: 503, body: { code: 'unavailable', message: 'why' } };

/** A client that is closed with its test. */
function clientOf(t, options, time) {
    const client = new AssayClient(options, time);
    t.after(() => client.close());
    return client;
}

describe('Calls', () => {
    test('a request has the message, the fields of its header, and what is left of the time-out', async (t) => {
        const { url, requests } = await startServer(t, [{ body: CHALLENGE }]);
        const answer = await clientOf(t, { url: `${url}/below/` }).issueChallenge({ app: 'photos', purpose: 'ASSERT', context: Buffer.from('me') });

        assert.deepEqual(answer.challenge, Buffer.from([0, 1, 2, 3, 4, 5]));
        assert.equal(answer.expiresAtUnixMs, 1776124800000n);
        assert.deepEqual(answer.raw, CHALLENGE);
        const [{ path, headers, body }] = requests;
        assert.equal(path, '/below/assay.v1.Attestation/IssueChallenge');
        assert.deepEqual(body, { app: 'photos', purpose: 'PURPOSE_ASSERT', context: 'bWU=' });
        assert.equal(headers['content-type'], 'application/json');
        assert.match(headers['user-agent'], /^assay-node\/\d+\.\d+\.\d+$/);
        assert.ok(Number(headers['connect-timeout-ms']) > 29_000 && Number(headers['connect-timeout-ms']) <= 30_000);
        assert.equal(headers.authorization, undefined);
        assert.equal(headers['idempotency-key'], undefined);
    });

    test('calls one after the other share a connection', async (t) => {
        const { url, requests } = await startServer(t, [{ body: CHALLENGE }, { body: CHALLENGE }]);
        const client = clientOf(t, { url });
        await client.issueChallenge({ app: 'photos', purpose: 'ASSERT' });
        await client.issueChallenge({ app: 'photos', purpose: 'ASSERT' });
        assert.equal(requests[0].port, requests[1].port);
    });

    test('a Unix socket is called, also with an API key', async (t) => {
        const folder = await mkdtemp(join(tmpdir(), 'assay-client-'));
        t.after(() => rm(folder, { recursive: true }));
        const { url, requests } = await startServer(t, [{ body: { name: 'uploads', roles: ['verify'] } }], { path: join(folder, 'http.sock') });
        const answer = await clientOf(t, { url, apiKey: 'assay_secret' }).whoAmI();
        assert.deepEqual([answer.name, answer.roles, answer.allApps], ['uploads', ['verify'], false]);
        assert.equal(requests[0].headers.host, 'localhost');
        assert.equal(requests[0].headers.authorization, 'Bearer assay_secret');
    });

    test('any method is called by its name, with bytes and long integers', async (t) => {
        const { url, requests } = await startServer(t, [{ body: '{"number": 9223372036854775807}' }]);
        const answer = await clientOf(t, { url }).call('Feeds', 'Load', { list: new Uint8Array([255]), at: 2n ** 62n });
        assert.deepEqual(answer, { number: 9223372036854775807n });
        assert.equal(requests[0].path, '/assay.v1.Feeds/Load');
        assert.deepEqual(requests[0].body, { list: '/w==', at: '4611686018427387904' });
    });

    test('a request that cannot be is refused, and not sent', async (t) => {
        const { url, requests } = await startServer(t, []);
        const client = clientOf(t, { url });
        const refused = [
            client.issueChallenge({ app: 'photos', purpose: 'ASSERT', context: 'text' }),
            client.issueChallenge({ app: 'photos', porpoise: 'ASSERT' }),
            client.issueChallenge({ app: 'photos', ttlMs: -1 }),
            client.issueChallenge({ app: 'photos' }, { idempotencyKey: 'k' }),
            client.verify({ app: 'photos' }, { idempotencyKey: 'a\r\nhost: b' }),
            client.verify({ app: 'photos' }, { timeoutMs: 0 }),
            client.verify({ app: 'photos' }, { timeout: 5 }),
            client.call('Attestation/../x', 'Verify', {}),
            client.call('Attestation', 'Verify', []),
            client.call('Attestation', 'Verify', { idempotencyKey: 'aw==' }, { idempotencyKey: 'k' }),
        ];
        for (const call of refused) await assert.rejects(call, { name: 'AssayError', code: 'invalid_argument', reason: 'bad_request', retry: 'never', attempts: 0 });
        assert.equal(requests.length, 0);
    });
});

describe('Retries', () => {
    test('pauses double, and a try that is answered ends them', async (t) => {
        const { url, requests } = await startServer(t, [UNAVAILABLE, UNAVAILABLE, UNAVAILABLE, { body: CHALLENGE }]);
        const time = fakeTime();
        await clientOf(t, { url }, time).issueChallenge({ app: 'photos', purpose: 'ASSERT' });
        assert.deepEqual(time.pauses, [1000, 2000, 4000]);
        assert.equal(requests.length, 4);
    });

    test('all tries of a call have one random key, and the mark that they cause is taken away', async (t) => {
        const accepted = { decision: 'DECISION_ACCEPTED', repeated: true };
        const { url, requests } = await startServer(t, [UNAVAILABLE, { body: accepted }, { body: accepted }]);
        const client = clientOf(t, { url }, fakeTime());
        assert.equal((await client.verify({ app: 'photos' })).repeated, false);
        const keys = requests.map(({ headers }) => headers['idempotency-key']);
        assert.match(keys[0], /^[0-9a-f]{32}$/);
        assert.equal(keys[0], keys[1]);
        assert.equal((await client.verify({ app: 'photos' }, { idempotencyKey: 'mine' })).repeated, true);
        assert.equal(requests[2].headers['idempotency-key'], 'mine');
    });

    test('a statement that was accepted before stays marked', async (t) => {
        const body = { decision: 'DECISION_ACCEPTED', repeated: true, findings: [{ check: 'statement', outcome: 'OUTCOME_NOTE', code: 'statement_repeated' }] };
        const { url } = await startServer(t, [{ body }]);
        assert.equal((await clientOf(t, { url }).verify({ app: 'cameras' })).repeated, true);
    });

    test('what may have been done is not repeated without a key, and what was not begun is', async (t) => {
        const notBegun = { status: 429, body: { code: 'resource_exhausted', message: 'why', details: [errorInfo('overloaded', 'later')] } };
        const { url, requests } = await startServer(t, [notBegun, UNAVAILABLE]);
        const unblock = clientOf(t, { url }, fakeTime()).unblock({ app: 'photos', target: { subject: Buffer.from('me') } });
        await assert.rejects(unblock, { code: 'unavailable', reason: '', attempts: 2, httpStatus: 503 });
        assert.equal(requests.length, 2);
    });

    test('the time that the daemon names is the least', async (t) => {
        const { url } = await startServer(t, [{ ...UNAVAILABLE, headers: { 'retry-after': '7' } }, { body: {} }]);
        const time = fakeTime();
        await clientOf(t, { url }, time).whoAmI();
        assert.deepEqual(time.pauses.map(Math.round), [7700]);
    });

    test('a pause beyond the time-out is not begun', async (t) => {
        const { url, requests } = await startServer(t, [UNAVAILABLE]);
        const time = fakeTime();
        await assert.rejects(clientOf(t, { url, timeoutMs: 900 }, time).whoAmI(), { code: 'unavailable', attempts: 1 });
        assert.deepEqual([time.pauses, requests.length], [[], 1]);
    });

    test('a kept connection that the server has closed is replaced at once', async (t) => {
        const { url, requests } = await startServer(t, [{ body: CHALLENGE }, (response) => response.socket.destroy(), { body: CHALLENGE }]);
        const time = fakeTime();
        const client = clientOf(t, { url }, time);
        await client.issueChallenge({ app: 'photos', purpose: 'ASSERT' });
        await client.issueChallenge({ app: 'photos', purpose: 'ASSERT' });
        assert.deepEqual([requests.length, time.pauses], [3, []]);
    });
});

describe('Limits', () => {
    test('a server that does not answer ends a call by its time-out', async (t) => {
        const { url } = await startServer(t, [() => {}]);
        await assert.rejects(clientOf(t, { url }).whoAmI({ timeoutMs: 100 }), { code: 'deadline_exceeded', reason: 'timeout', retry: 'later' });
    });

    test('a call is given up by its signal, also in a pause', async (t) => {
        const { url } = await startServer(t, [() => {}, UNAVAILABLE]);
        const client = clientOf(t, { url });
        const given = { code: 'canceled', reason: 'cancelled', retry: 'never' };
        await assert.rejects(client.whoAmI({ signal: AbortSignal.timeout(50) }), given);
        await assert.rejects(client.whoAmI({ signal: AbortSignal.timeout(300) }), given);
        await assert.rejects(client.whoAmI({ signal: AbortSignal.abort() }), given);
    });

    test('an answer that is too long is not read', async (t) => {
        let sent = 0;
        const endless = (response) => {
            response.writeHead(200, { 'content-type': 'application/json' });
            const part = Buffer.alloc(65_536, ' ');
            const more = () => {
                while (!response.destroyed && response.write(part)) sent += part.length;
            };
            response.on('drain', more);
            more();
        };
        const { url } = await startServer(t, [endless]);
        await assert.rejects(clientOf(t, { url, maxAnswerBytes: 1000 }).whoAmI(), { code: 'internal', reason: 'reply_too_large', attempts: 1 });
        assert.ok(sent < 64 * 1024 * 1024);
    });

    test('a closed client takes no more calls', async (t) => {
        const { url, requests } = await startServer(t, []);
        const client = new AssayClient({ url });
        client.close();
        await assert.rejects(client.whoAmI(), { reason: 'bad_request' });
        assert.equal(requests.length, 0);
    });

    test('nothing listens: no byte was sent', async (t) => {
        const server = net.createServer().listen(0, '127.0.0.1');
        await once(server, 'listening');
        const { port } = /** @type {net.AddressInfo} */ (server.address());
        server.close();
        await once(server, 'close');
        const time = fakeTime();
        await assert.rejects(
            clientOf(t, { url: `http://127.0.0.1:${port}` }, time).unblock({ app: 'photos' }),
            { code: 'unavailable', reason: 'connect_failed', attempts: 5, httpStatus: 0, link: 'clients/README.md#errors' });
        assert.deepEqual(time.pauses, [1000, 2000, 4000, 8000]);
    });
});
