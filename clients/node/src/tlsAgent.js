import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import https from 'node:https';
import tls from 'node:tls';

/**
 * The files of a client's TLS, in PEM.
 *
 * @typedef {object} Files
 * @property {string} [caFile] the CAs that are trusted, in place of the system's
 * @property {string} [certificateFile] the client's certificate, and those that certify it
 * @property {string} [keyFile] its private key
 */

/** Connects with the files as they are then, so that certificates may be replaced while the program runs. */
export class TLSAgent extends https.Agent {
    /** @type {Files} */
    #files;
    /** @type {Content} */
    #content;

    /**
     * @param {https.AgentOptions} options
     * @param {Files} files
     * @throws {Error} if the files cannot be used; its message names the one
     */
    constructor(options, files) {
        // A session that is resumed would outlive a certificate that was replaced.
        super({ ...options, maxCachedSessions: 0 });
        this.#files = files;
        this.#content = readFiles(files);
    }

    /** One that keeps no connection. */
    fresh() {
        return new TLSAgent({}, this.#files);
    }

    /**
     * @param {https.RequestOptions} options
     * @param {(error: Error | null, socket: import('node:stream').Duplex) => void} [done]
     */
    createConnection(options, done) {
        try {
            this.#content = readFiles(this.#files);
        } catch {
            // While the files are being replaced, or do not match, the earlier ones hold.
        }
        const own = { ...this.#content, minVersion: 'TLSv1.2', ALPNProtocols: ['http/1.1'], rejectUnauthorized: true, checkServerIdentity };
        // @ts-ignore: the method of node:https is not declared.
        return super.createConnection({ ...options, ...own }, done);
    }
}

/**
 * Whether a certificate has a name, in its alternative names: Node alone would take the common name too, which RFC 9525 ended.
 *
 * @param {string} name
 * @param {tls.PeerCertificate} certificate
 */
function checkServerIdentity(name, certificate) {
    if (!certificate.subjectaltname) return new Error('the certificate has no subject alternative name');
    return tls.checkServerIdentity(name, certificate);
}

/**
 * @typedef {{ ca?: Buffer, cert?: Buffer, key?: Buffer }} Content
 *
 * @param {Files} files
 * @returns {Content}
 */
function readFiles({ caFile, certificateFile, keyFile }) {
    /** @type {Content} */
    const content = {};
    if (caFile !== undefined) {
        content.ca = readFile('caFile', caFile);
        // Without a certificate every server would be refused, and it would not be said why.
        usable('caFile', caFile, () => new X509Certificate(content.ca ?? ''));
    }
    if (certificateFile !== undefined && keyFile !== undefined) {
        const [cert, key] = [readFile('certificateFile', certificateFile), readFile('keyFile', keyFile)];
        usable('certificateFile and keyFile', `${certificateFile}, ${keyFile}`, () => tls.createSecureContext({ cert, key }));
        Object.assign(content, { cert, key });
    }
    return content;
}

/**
 * @param {string} option
 * @param {string} path
 */
function readFile(option, path) {
    return usable(option, path, () => readFileSync(path));
}

/**
 * @template T
 * @param {string} option
 * @param {string} path
 * @param {() => T} use
 * @returns {T}
 */
function usable(option, path, use) {
    try {
        return use();
    } catch (error) {
        throw new Error(`${option}: ${path} cannot be used: ${/** @type {Error} */ (error).message}`);
    }
}
