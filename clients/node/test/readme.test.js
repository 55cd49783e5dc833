import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { access, mkdtemp, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import http from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { json } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { startServer } from './support/scriptedServer.js';

const run = promisify(execFile);
const PACKAGE = fileURLToPath(new URL('..', import.meta.url));
const BIN = process.env.ASSAY_BIN ?? join(PACKAGE, '../../.build/debug');
const sha256 = (data) => createHash('sha256').update(data).digest();

/** The block of code behind a mark in README.md. */
async function block(name) {
    const text = await readFile(join(PACKAGE, 'README.md'), 'utf8');
    const code = text.split(`<!-- test: ${name} -->\n\`\`\`js\n`)[1]?.split('```')[0];
    return code ?? assert.fail(`README.md has no block ${name}`);
}

/** The handler of README.md as a user has it: a module beside an installed package. It calls the daemon at an address. */
async function loadHandler(t, url, more = '', simulated = '1') {
    const folder = await mkdtemp(join(tmpdir(), 'assay-client-'));
    t.after(() => rm(folder, { recursive: true }));
    await mkdir(join(folder, 'node_modules'));
    await symlink(PACKAGE, join(folder, 'node_modules/assay-client'));
    await writeFile(join(folder, 'uploads.mjs'), `${await block('handler')}\n${more}\nexport { assay, photos };`);
    Object.assign(process.env, { ASSAY_URL: url, SIMULATED: simulated });
    const module = await import(join(folder, 'uploads.mjs'));
    t.after(() => module.assay.close());
    t.mock.method(console, 'warn', () => {});
    return module;
}

/** Posts to a server that a test closes. */
async function poster(t, server) {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    t.after(() => {
        server.close();
        server.closeAllConnections?.();
    });
    return async (path, user, sent) => {
        const headers = { 'content-type': 'application/json', ...(user && { user }) };
        const answer = await fetch(`http://127.0.0.1:${server.address().port}${path}`, { method: 'POST', headers, body: typeof sent === 'string' ? sent : JSON.stringify(sent) });
        return [answer.status, await answer.json()];
    };
}

const CHALLENGE = { challenge: 'AAECAwQF', expiresAtUnixMs: '1776124800000' };
const UPLOAD = { upload_id: '1', challenge: 'AAECAwQF', key_id: 'AQ==', photo: Buffer.from('a photo').toString('base64'), signature: 'Ag==' };

describe('The upload handler of README.md', () => {
    test('has at most 40 lines', async () => {
        assert.ok((await block('handler')).trimEnd().split('\n').length <= 40);
        assert.ok((await block('express')).trimEnd().split('\n').length <= 40);
    });

    test('asks for a verdict on what arrived, and says what the phone does next', async (t) => {
        const daemon = await startServer(t, [
            { body: CHALLENGE }, { body: { decision: 'DECISION_ACCEPTED' } }, { body: { decision: 'DECISION_REJECTED', retry: 'RETRY_CLASS_NEW_CHALLENGE' } },
            { body: {} }, { status: 403, body: { code: 'permission_denied', message: 'why' } }, { status: 400, body: { code: 'invalid_argument', message: 'why' } },
        ]);
        const { server, photos } = await loadHandler(t, daemon.url);
        const post = await poster(t, server);

        assert.deepEqual(await post('/challenges', 'alice', {}), [200, { challenge: 'AAECAwQF' }]);
        assert.deepEqual(await post('/uploads', 'alice', UPLOAD), [201, { then: 'done' }]);
        const { body, headers } = daemon.requests[1];
        assert.deepEqual(body, {
            app: 'photos', purpose: 'PURPOSE_ASSERT', challenge: 'AAECAwQF', context: sha256('alice').toString('base64'), subject: Buffer.from('alice').toString('base64'),
            evidence: [{ keySignature: { keyId: 'AQ==', algorithm: 'ALGORITHM_ECDSA_P256_SHA256', signature: 'Ag==' } }],
            binding: { clientData: { payloadSha256: sha256('a photo').toString('base64') } },
        });
        assert.equal(headers['idempotency-key'], sha256('alice/1').toString('hex'));
        assert.deepEqual([...photos.values()].map(String), ['a photo']);

        assert.deepEqual(await post('/uploads', 'alice', UPLOAD), [403, { then: 'new_challenge' }]);
        assert.deepEqual(await post('/uploads', 'alice', UPLOAD), [403, { then: 'give_up' }]);
        assert.deepEqual(await post('/uploads', 'alice', UPLOAD), [503, { then: 'later' }]);
        assert.deepEqual(await post('/uploads', 'alice', UPLOAD), [400, { then: 'give_up' }]);
        assert.equal(photos.size, 1);
    });

    test('refuses a virtual device unless it is a trial', async (t) => {
        const accepted = { body: { decision: 'DECISION_ACCEPTED', simulated: true } };
        const daemon = await startServer(t, [accepted, accepted]);
        for (const [simulated, answer] of [['', [403, { then: 'give_up' }]], ['1', [201, { then: 'done' }]]]) {
            const { server, photos } = await loadHandler(t, daemon.url, '', simulated);
            assert.deepEqual(await (await poster(t, server))('/uploads', 'alice', UPLOAD), answer);
            assert.equal(photos.size, Number(answer[0] === 201));
        }
    });

    test('answers what is no upload, and asks nothing', async (t) => {
        const daemon = await startServer(t, []);
        const { server } = await loadHandler(t, daemon.url);
        const post = await poster(t, server);
        for (const sent of ['', '{', 'null', '[]', '7']) assert.deepEqual(await post('/uploads', 'alice', sent), [400, { then: 'give_up' }], sent);
        assert.deepEqual(await post('/uploads', undefined, UPLOAD), [400, { then: 'give_up' }]);
        assert.equal(daemon.requests.length, 0);
    });

    test('has the shape of Express', async (t) => {
        const daemon = await startServer(t, [{ body: CHALLENGE }]);
        // What the block uses of Express: routes with handlers, a parser of JSON, and the short forms of request and response.
        const express = `
            export const routes = [];
            function express() { return { post: (paths, ...handlers) => routes.push({ paths, handlers }) }; }
            express.json = () => async (request) => { request.body = await readJSON(request); };
            let readJSON;
            export const setReader = (reader) => { readJSON = reader; };`;
        const { routes, setReader } = await loadHandler(t, daemon.url, `${express}\n${await block('express')}`);
        setReader(json);
        const server = http.createServer(async (request, response) => {
            const { handlers } = routes.find(({ paths }) => paths.includes(request.url));
            Object.assign(request, { path: request.url, get: (name) => request.headers[name] });
            Object.assign(response, {
                status: (status) => Object.assign(response, { statusCode: status }),
                json: (body) => response.setHeader('content-type', 'application/json').end(JSON.stringify(body)),
            });
            for (const handler of handlers) await handler(request, response);
        });
        assert.deepEqual(await (await poster(t, server))('/challenges', 'alice', {}), [200, { challenge: 'AAECAwQF' }]);
    });

    test('judges a virtual phone by a daemon', { timeout: 120_000 }, async (t) => {
        const [assayd, assay] = [join(BIN, 'assayd'), join(BIN, 'assay')];
        if (await Promise.all([access(assayd), access(assay)]).then(() => false, () => true)) return t.skip(`assayd and assay are not in ${BIN}`);
        const { url, folder } = await startDaemon(t, assayd);
        const { server, assay: client } = await loadHandler(t, url);
        const post = await poster(t, server);
        const sign = async (command, challenge, payload) => {
            await writeFile(join(folder, 'payload'), payload);
            const words = ['simulate', command, join(folder, 'phone-2'), '--challenge', challenge.toString('base64'), '--payload', join(folder, 'payload')];
            await run(assay, [...words, '--out', join(folder, 'evidence')]);
            return readFile(join(folder, 'evidence'));
        };
        const keyId = Buffer.from((await readFile(join(folder, 'phone-2/key-id'), 'utf8')).trim(), 'base64');

        const { challenge } = await client.issueChallenge({ app: 'photos', purpose: 'REGISTER', context: sha256('alice') });
        const registered = await client.verify({
            app: 'photos', purpose: 'REGISTER', challenge, context: sha256('alice'), subject: Buffer.from('alice'),
            evidence: [{ appAttestAttestation: { keyId, attestation: await sign('attest', challenge, 'alice') } }],
            binding: { clientData: { payloadSha256: sha256('alice') } },
        });
        assert.ok(registered.accepted, `${registered.reason}: ${registered.detail}`);

        const [, issued] = await post('/challenges', 'alice', {});
        const assertion = await sign('assert', Buffer.from(issued.challenge, 'base64'), 'a photo');
        const upload = { ...UPLOAD, challenge: issued.challenge, key_id: keyId.toString('base64'), signature: undefined, assertion: assertion.toString('base64') };
        assert.deepEqual(await post('/uploads', 'alice', upload), [201, { then: 'done' }]);
        assert.deepEqual(await post('/uploads', 'alice', upload), [201, { then: 'done' }]);
        assert.deepEqual(await post('/uploads', 'alice', { ...upload, upload_id: '2' }), [403, { then: 'new_challenge' }]);
        assert.deepEqual(await post('/uploads', 'bob', upload), [403, { then: 'new_challenge' }]);
    });
});

/** A daemon to try things with. */
async function startDaemon(t, assayd) {
    const folder = await mkdtemp(join(tmpdir(), 'assay-client-'));
    t.after(() => rm(folder, { recursive: true }));
    const daemon = spawn(assayd, ['dev', '--port', '0'], { cwd: folder, stdio: ['ignore', 'pipe', 'ignore'] });
    t.after(async () => {
        const ended = once(daemon, 'exit');
        if (daemon.exitCode === null) {
            daemon.kill();
            await ended;
        }
    });
    let said = '';
    for await (const line of createInterface({ input: daemon.stdout })) {
        said += `${line}\n`;
        const [, url] = /HTTP\s+(http:\S+)/.exec(said) ?? [];
        const [, devices] = /folder\s+(\/\S+?)\s/.exec(said) ?? [];
        if (url && devices && said.includes('Ctrl-C')) return { url, folder: devices };
    }
    return assert.fail(`the daemon ended: ${said}`);
}
