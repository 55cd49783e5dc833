import http from 'node:http';
import https from 'node:https';

import { ownError } from './ownErrors.js';

/** The longest head of an answer, in bytes. */
const HEAD_LIMIT = 65_536;

/** A connection that was kept open ended before a byte of the answer came: the server may have closed it before the request. */
export class StaleConnection extends Error {
    /** @param {import('./errors.js').AssayError} lost what it is if the request is not sent again */
    constructor(lost) {
        super(lost.message);
        this.lost = lost;
    }
}

/** A request and its answer. */
export class Exchange {
    /** @type {Promise<import('./answers.js').Answer>} */
    answer;
    /** @type {http.ClientRequest} */
    #request;
    /** @type {{ resolve: (answer: import('./answers.js').Answer) => void, reject: (error: Error) => void }} */
    #settle;
    #maxAnswerBytes;
    /** Whether the connection stands, with its TLS: only then is the request sent. */
    #isConnected = false;
    /** Whether the handshake has begun. */
    #isInHandshake = false;
    /** Of a connection that was kept open: the bytes that it had brought. */
    #bytesBefore = -1;
    /** @type {(() => void)[]} */
    #atEnd = [];

    /**
     * @param {import('./address.js').Address} address
     * @param {http.Agent} agent
     * @param {import('./connections.js').Limits} limits
     * @param {import('./connections.js').Request} request
     */
    constructor(address, agent, limits, request) {
        this.#maxAnswerBytes = limits.maxAnswerBytes;
        this.#settle = { resolve: () => {}, reject: () => {} };
        this.answer = new Promise((resolve, reject) => {
            this.#settle = { resolve, reject };
        });
        const { host, port, socketPath } = address;
        this.#request = (address.isEncrypted ? https : http).request({
            ...(socketPath === undefined ? { host, port } : { host, socketPath }),
            agent,
            method: 'POST',
            path: address.prefix + request.path,
            headers: { ...request.headers, 'content-length': request.body.length },
            maxHeaderSize: HEAD_LIMIT,
        });
        this.#after(request.timeoutMs, () => ownError('timeout', 'the time-out of the call passed'));
        const { connectTimeoutMs } = limits;
        const connecting = this.#after(
            connectTimeoutMs, () => ownError('connect_failed', `${address.text}: no connection within ${connectTimeoutMs} ms`));
        this.#watchConnection(address, connecting);
        this.#watchAnswer();
        if (request.signal) this.#endWith(request.signal);
        this.#request.end(request.body);
    }

    /**
     * @param {import('./address.js').Address} address
     * @param {NodeJS.Timeout} connecting
     */
    #watchConnection(address, connecting) {
        const connected = () => {
            this.#isConnected = true;
            clearTimeout(connecting);
        };
        this.#request.once('socket', (socket) => {
            if (this.#request.reusedSocket) {
                this.#bytesBefore = socket.bytesRead;
                connected();
            } else if (address.isEncrypted) {
                socket.once('connect', () => {
                    this.#isInHandshake = true;
                });
                socket.once('secureConnect', connected);
            } else if (socket.connecting) {
                socket.once('connect', connected);
            } else {
                connected();
            }
        });
        this.#request.on('error', (error) => this.#fail(this.#explain(/** @type {NodeJS.ErrnoException} */ (error), address)));
    }

    #watchAnswer() {
        this.#request.once('upgrade', (response, socket) => {
            socket.destroy();
            this.#succeed(response, []);
        });
        this.#request.once('response', (response) => {
            const { statusCode: httpStatus, httpVersion, httpVersionMajor } = response;
            if (httpVersionMajor !== 1) return this.#fail(ownError('protocol_broken', `the server answers in HTTP/${httpVersion}`));
            /** @type {Buffer[]} */
            const parts = [];
            let length = 0;
            const why = `the answer has more than ${this.#maxAnswerBytes} bytes`;
            const tooLarge = () => this.#fail(ownError('reply_too_large', why, { httpStatus }));
            if (Number(response.headers['content-length'] ?? 0) > this.#maxAnswerBytes) return tooLarge();
            response.on('data', (/** @type {Buffer} */ part) => {
                length += part.length;
                if (length > this.#maxAnswerBytes) return tooLarge();
                parts.push(part);
            });
            response.once('end', () => {
                if (response.complete) this.#succeed(response, parts);
            });
            // Without an end before it, the connection ended within the answer.
            response.once('close', () => this.#fail(lost('the connection ended within the answer')));
            response.on('error', () => {});
        });
    }

    /** @param {AbortSignal} signal */
    #endWith(signal) {
        const cancel = () => this.#fail(ownError('cancelled', 'the caller gave the call up', { cause: signal.reason }));
        if (signal.aborted) return cancel();
        signal.addEventListener('abort', cancel, { once: true });
        this.#atEnd.push(() => signal.removeEventListener('abort', cancel));
    }

    /**
     * @param {number} ms
     * @param {() => import('./errors.js').AssayError} error
     */
    #after(ms, error) {
        const timer = setTimeout(() => this.#fail(error()), ms);
        this.#atEnd.push(() => clearTimeout(timer));
        return timer;
    }

    /**
     * @param {http.IncomingMessage} response
     * @param {Buffer[]} parts
     */
    #succeed(response, parts) {
        this.#end();
        this.#settle.resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(parts) });
    }

    /** @param {Error} error */
    #fail(error) {
        this.#end();
        this.#settle.reject(error);
        this.#request.destroy();
    }

    #end() {
        for (const action of this.#atEnd.splice(0)) action();
    }

    /**
     * What an error of the connection is to the call.
     *
     * @param {NodeJS.ErrnoException} error
     * @param {import('./address.js').Address} address
     */
    #explain(error, address) {
        const code = error.code ?? '';
        if (!this.#isConnected) {
            const isOfTLS = this.#isInHandshake && (code === 'EPROTO' || !/^E[A-Z0-9]+$/.test(code));
            // What OpenSSL says of a server that answers in clear. Its own message names files and lines of OpenSSL.
            const isInClear = isOfTLS && /wrong version number|packet length too long/.test(error.message);
            const why = isInClear ? 'the server does not speak TLS here; is its address http://?' : error.message || code;
            return ownError(isOfTLS ? 'tls_failed' : 'connect_failed', `${address.text}: ${why}`, { cause: error });
        }
        // With TLS 1.3 the server refuses a client's certificate after the client has sent its request.
        if (/^ERR_SSL_.*ALERT/.test(code)) return ownError('tls_failed', `${address.text}: ${error.message}`, { cause: error });
        if (code.startsWith('HPE_') && code !== 'HPE_INVALID_EOF_STATE') {
            return ownError('protocol_broken', `the server does not answer in HTTP; is this the port of the framed protocol? ${error.message}`, { cause: error });
        }
        const why = lost(error.message, error);
        return this.#request.socket?.bytesRead === this.#bytesBefore ? new StaleConnection(why) : why;
    }
}

/**
 * @param {string} why
 * @param {unknown} [cause]
 */
function lost(why, cause) {
    return ownError('connection_lost', `${why}; whether the call was done is unknown`, { cause });
}
