/**
 * Where a daemon, or a proxy before it, is called over HTTP.
 *
 * @typedef {object} Address
 * @property {string} text as it was given
 * @property {boolean} isEncrypted
 * @property {string} host without brackets; `localhost` for a Unix socket
 * @property {number} port 0 for a Unix socket
 * @property {string} [socketPath] of a Unix socket
 * @property {string} prefix what stands before the path of each method: empty, or `/` and segments without a slash at the end
 */

/** Linux's, in bytes. */
const SOCKET_PATH_LIMIT = 107;
/** Scheme, host, port and path. */
const NETWORK = /^(https?):\/\/(\[[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*\]|[A-Za-z0-9._-]+)(?::([0-9]{1,5}))?(\/[!-~]*)?$/i;

/**
 * Reads `https://host`, `http://host:port` or `http+unix:/path`. The port is 443 or 80 if there is none, an IPv6 host has brackets, and a
 * path may follow the host where a proxy serves the daemon below it.
 *
 * @param {string} text
 * @returns {Address | undefined} nothing for any other text, such as one with a user, a query or a fragment
 */
export function parseAddress(text) {
    const unix = /^http\+unix:(\/[^\0]+)$/.exec(text);
    if (unix && Buffer.byteLength(unix[1]) > SOCKET_PATH_LIMIT) return undefined;
    if (unix) return { text, isEncrypted: false, host: 'localhost', port: 0, socketPath: unix[1], prefix: '' };
    const network = NETWORK.exec(text);
    if (!network || /[?#]/.test(network[4] ?? '')) return undefined;
    const isEncrypted = network[1].toLowerCase() === 'https';
    const port = network[3] === undefined ? (isEncrypted ? 443 : 80) : Number(network[3]);
    if (port === 0 || port > 65535) return undefined;
    return { text, isEncrypted, host: network[2].replace(/^\[|\]$/g, ''), port, prefix: (network[4] ?? '').replace(/\/+$/, '') };
}
