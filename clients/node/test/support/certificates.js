import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/**
 * A CA, and certificates that it issues, in a folder that ends with the test. `openssl` makes them.
 *
 * @param {import('node:test').TestContext} t
 * @param {{ [name: string]: string }} names certificate → its subject alternative name, such as `IP:127.0.0.1`; empty: none
 */
export async function makeCertificates(t, names) {
    const folder = await mkdtemp(join(tmpdir(), 'assay-client-'));
    t.after(() => rm(folder, { recursive: true }));
    const file = (/** @type {string} */ name) => join(folder, name);
    const openssl = (/** @type {string[]} */ ...words) => run('openssl', words, { cwd: folder });
    const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
    await openssl(
        'req', '-x509', ...newKey, '-keyout', 'ca.key', '-out', 'ca.pem', '-days', '1', '-subj', '/CN=Test CA', '-addext',
        'basicConstraints=critical,CA:TRUE');
    for (const [name, alternative] of Object.entries(names)) {
        await writeFile(file(`${name}.ext`), `basicConstraints=CA:FALSE\n${alternative && `subjectAltName=${alternative}\n`}`);
        await openssl('req', '-new', ...newKey, '-keyout', `${name}.key`, '-out', `${name}.csr`, '-subj', '/CN=127.0.0.1');
        await openssl(
            'x509', '-req', '-in', `${name}.csr`, '-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-days', '1', '-extfile', `${name}.ext`,
            '-out', `${name}.pem`);
    }
    return file;
}
