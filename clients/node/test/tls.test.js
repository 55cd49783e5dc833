import assert from 'node:assert/strict';
import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { describe, test } from 'node:test';

import { AssayClient } from '../src/index.js';
import { makeCertificates } from './support/certificates.js';
import { startServer } from './support/scriptedServer.js';

const REFUSED = { code: 'unavailable', reason: 'tls_failed', retry: 'contact_operator', attempts: 1 };

describe('TLS', () => {
    test('trusts the CA of the option alone, and names of certificates alone', async (t) => {
        const file = await makeCertificates(t, { server: 'IP:127.0.0.1', other: 'DNS:other.example', nameless: '' });
        const call = async (certificate, options) => {
            const tls = { cert: await readFile(file(`${certificate}.pem`)), key: await readFile(file(`${certificate}.key`)) };
            const { url } = await startServer(t, [{ body: { name: 'me' } }], { tls });
            const client = new AssayClient({ url, apiKey: 'assay_secret', ...options });
            t.after(() => client.close());
            return client.whoAmI();
        };
        assert.equal((await call('server', { caFile: file('ca.pem') })).name, 'me');
        await assert.rejects(call('server', {}), REFUSED);
        await assert.rejects(call('other', { caFile: file('ca.pem') }), REFUSED);
        await assert.rejects(call('nameless', { caFile: file('ca.pem') }), REFUSED);
    });

    test('says that a server in clear does not speak TLS', async (t) => {
        const { url } = await startServer(t, []);
        const client = new AssayClient({ url: url.replace('http:', 'https:') });
        t.after(() => client.close());
        await assert.rejects(client.whoAmI(), { ...REFUSED, message: /: the server does not speak TLS here; is its address http:\/\/\?$/ });
    });

    test('shows the certificate that the files have at each new connection', async (t) => {
        const file = await makeCertificates(t, { server: 'IP:127.0.0.1', first: 'URI:spiffe://example.org/first', second: 'URI:spiffe://example.org/second' });
        const seen = [];
        const see = (response) => {
            seen.push(response.socket.getPeerCertificate().subjectaltname);
            response.writeHead(200, { 'content-type': 'application/json', connection: 'close' }).end('{}');
        };
        const tls = { cert: await readFile(file('server.pem')), key: await readFile(file('server.key')), ca: await readFile(file('ca.pem')), requestCert: true };
        const { url } = await startServer(t, [see, see, see], { tls });
        const put = (name) => Promise.all([copyFile(file(`${name}.pem`), file('client.pem')), copyFile(file(`${name}.key`), file('client.key'))]);

        await put('first');
        const client = new AssayClient({ url, caFile: file('ca.pem'), certificateFile: file('client.pem'), keyFile: file('client.key') });
        t.after(() => client.close());
        await client.whoAmI();
        await put('second');
        await client.whoAmI();
        await writeFile(file('client.key'), 'half writt');
        await client.whoAmI();
        assert.deepEqual(seen, ['first', 'second', 'second'].map((name) => `URI:spiffe://example.org/${name}`));
    });
});
