import { parseAddress } from './address.js';
import { ownError } from './ownErrors.js';

const DAY_MS = 86_400_000;

/** The options of a client with their defaults, where they have one. */
const DEFAULTS = Object.freeze({
    timeoutMs: 30_000, connectTimeoutMs: 5000, tries: 5, idempotencyKeys: true, maxAnswerBytes: 8 * 1024 * 1024,
});
const NAMES = new Set(['url', 'apiKey', 'caFile', 'certificateFile', 'keyFile', 'documentation', ...Object.keys(DEFAULTS)]);
const TLS_FILES = /** @type {const} */ (['caFile', 'certificateFile', 'keyFile']);

/**
 * The options of a client, checked.
 *
 * @param {import('../types/index.js').ClientOptions} given
 * @throws {import('./errors.js').AssayError} `bad_option`; the message names the option
 */
export function readOptions(given) {
    if (typeof given !== 'object' || given === null) throw bad('options', 'is not an object with the client\'s options');
    const unknown = Object.keys(given).find((name) => !NAMES.has(name));
    if (unknown !== undefined) throw bad(unknown.slice(0, 64), `is no option; there are ${[...NAMES].join(', ')}`);
    const options = { ...DEFAULTS, ...withoutAbsent(given) };
    for (const name of /** @type {const} */ (['timeoutMs', 'connectTimeoutMs'])) checkTimeout(name, options[name]);
    for (const name of /** @type {const} */ (['tries', 'maxAnswerBytes'])) {
        if (!Number.isSafeInteger(options[name]) || options[name] < 1) throw bad(name, 'is not an integer of 1 or more');
    }
    if (typeof options.idempotencyKeys !== 'boolean') throw bad('idempotencyKeys', 'is not true or false');
    for (const name of TLS_FILES) {
        if (options[name] !== undefined && typeof options[name] !== 'string') throw bad(name, 'is not the path of a file');
    }
    const documentation = readDocumentation(options.documentation);
    const address = typeof options.url === 'string' ? parseAddress(options.url) : undefined;
    if (!address) {
        const forms = 'https://host[:port][/path], http://host[:port][/path] or http+unix:/path/of/socket';
        throw bad('url', `is not ${forms}; it takes no user, query or fragment`);
    }
    checkSecrets(options, address);
    return { ...options, address, documentation };
}

/**
 * @param {string} name
 * @param {unknown} ms
 */
function checkTimeout(name, ms) {
    if (typeof ms === 'number' && ms > 0 && ms <= DAY_MS) return;
    throw bad(name, `is not a number of more than 0 and at most ${DAY_MS}, in milliseconds`);
}

/**
 * The time-out of one call, in milliseconds.
 *
 * @param {unknown} ms
 */
export function readCallTimeout(ms) {
    if (typeof ms === 'number' && ms > 0 && ms <= DAY_MS) return ms;
    throw ownError('bad_request', `timeoutMs is not a number of more than 0 and at most ${DAY_MS}, in milliseconds`);
}

/**
 * Whether a text is 1 to `limit` characters of `!` to `~`, and so cannot end a header field.
 *
 * @param {unknown} text
 * @param {number} limit
 */
export function isVisible(text, limit) {
    return typeof text === 'string' && text.length <= limit && /^[!-~]+$/.test(text);
}

/**
 * @param {{ [name: string]: unknown }} options
 * @param {import('./address.js').Address} address
 */
function checkSecrets(options, address) {
    const { apiKey, certificateFile, keyFile } = options;
    if (apiKey !== undefined && !isVisible(apiKey, 512)) {
        throw bad('apiKey', 'is not 1 to 512 visible ASCII characters, without spaces and line ends');
    }
    if (apiKey !== undefined && !address.isEncrypted && address.socketPath === undefined) {
        throw bad('apiKey', 'is sent over https:// or to a Unix socket: http:// can be read on the way');
    }
    const file = TLS_FILES.find((name) => options[name] !== undefined);
    if (file && !address.isEncrypted) throw bad(file, 'is for https:// alone');
    if ((certificateFile === undefined) !== (keyFile === undefined)) {
        throw bad(keyFile === undefined ? 'certificateFile' : 'keyFile', 'is given alone: certificateFile and keyFile go together');
    }
}

/** @param {unknown} documentation */
function readDocumentation(documentation) {
    if (documentation === undefined) return undefined;
    if (!isVisible(documentation, 1000)) throw bad('documentation', 'is not an address of at most 1000 visible ASCII characters');
    return /** @type {string} */ (documentation).replace(/\/+$/, '');
}

/**
 * @template {object} T
 * @param {T} given
 * @returns {T}
 */
function withoutAbsent(given) {
    return /** @type {T} */ (Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined && value !== null)));
}

/**
 * @param {string} option
 * @param {string} problem
 */
export function bad(option, problem) {
    return ownError('bad_option', `${option} ${problem}`);
}
