import { once } from 'node:events';
import http from 'node:http';
import https from 'node:https';
import { text } from 'node:stream/consumers';

/**
 * A server that answers by the steps that it is given, in order, and remembers what it was asked. A step is an answer, or a function that
 * takes the response.
 *
 * @param {import('node:test').TestContext} t closes it
 * @param {(Said | ((response: http.ServerResponse) => void))[]} steps
 * @param {{ path?: string, tls?: https.ServerOptions }} [place]
 *
 * @typedef {{ status?: number, body?: unknown, headers?: http.OutgoingHttpHeaders }} Said
 */
export async function startServer(t, steps, { path, tls } = {}) {
    /** @type {{ path?: string, headers: http.IncomingHttpHeaders, body: any, port?: number }[]} */
    const requests = [];
    /** @param {http.IncomingMessage} request @param {http.ServerResponse} response */
    const listener = async (request, response) => {
        const body = JSON.parse(await text(request));
        requests.push({ path: request.url, headers: request.headers, body, port: request.socket.remotePort });
        const step = steps.shift() ?? { status: 500, body: { code: 'internal', message: 'there is no further step' } };
        if (typeof step === 'function') return step(response);
        const { status = 200, body: said = {}, headers = {} } = step;
        response.writeHead(status, { 'content-type': 'application/json', ...headers });
        response.end(typeof said === 'string' ? said : JSON.stringify(said));
    };
    const server = tls ? https.createServer(tls, listener) : http.createServer(listener);
    if (path) server.listen(path);
    else server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    t.after(() => {
        server.close();
        server.closeAllConnections?.();
    });
    const address = /** @type {import('node:net').AddressInfo} */ (server.address());
    const url = path ? `http+unix:${path}` : `${tls ? 'https' : 'http'}://127.0.0.1:${address.port}`;
    return { url, requests };
}

/**
 * A client's time without waiting: pauses are noted, and put the clock forward.
 *
 * @param {number} [chance]
 */
export function fakeTime(chance = 0.5) {
    let aheadMs = 0;
    /** @type {number[]} */
    const pauses = [];
    return {
        pauses,
        now: () => performance.now() + aheadMs,
        /** @param {number} ms */
        async sleep(ms) {
            pauses.push(ms);
            aheadMs += ms;
        },
        chance: () => chance,
    };
}

/**
 * A detail of an error as the daemon writes it: `google.rpc.ErrorInfo`.
 *
 * @param {string} reason
 * @param {string} [retry]
 */
export function errorInfo(reason, retry) {
    const entry = retry === undefined ? [] : [field(3, Buffer.concat([field(1, 'retry'), field(2, retry)]))];
    const value = Buffer.concat([field(1, reason), field(2, 'assay'), ...entry]).toString('base64').replace(/=+$/, '');
    return { type: 'google.rpc.ErrorInfo', value };
}

/**
 * A text or message of a protobuf message, of at most 127 bytes.
 *
 * @param {number} number
 * @param {string | Buffer} content
 */
export function field(number, content) {
    const bytes = Buffer.from(content);
    return Buffer.concat([Buffer.from([(number << 3) | 2, bytes.length]), bytes]);
}
