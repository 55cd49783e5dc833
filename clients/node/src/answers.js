import { fromBase64 } from './base64.js';
import { AssayError } from './errors.js';
import { readErrorInfo, readHelpLink, readRetryDelay } from './errorDetails.js';
import { parseJSON } from './json.js';
import { ownError } from './ownErrors.js';

/** Details beyond these are not looked at. */
const DETAIL_LIMIT = 16;

/** Codes of answers that are none of the daemon's; others are `unknown`. */
const FOREIGN_CODES = new Map([
    [401, 'unauthenticated'], [403, 'permission_denied'], [404, 'unimplemented'], [408, 'unavailable'], [429, 'unavailable'],
    [502, 'unavailable'], [503, 'unavailable'], [504, 'unavailable'],
]);

/**
 * @typedef {object} Answer an answer of HTTP
 * @property {number} status
 * @property {import('node:http').IncomingHttpHeaders} headers
 * @property {Buffer} body
 */

/**
 * The object that a method answers with.
 *
 * @param {Answer} answer
 * @returns {{ [name: string]: import('./json.js').JSONValue }}
 * @throws {AssayError} if the answer is an error, or not of the daemon
 */
export function readAnswer(answer) {
    const { status, headers } = answer;
    const isJSON = (headers['content-type'] ?? '').split(';')[0].trim().toLowerCase() === 'application/json';
    const coding = (headers['content-encoding'] ?? 'identity').trim().toLowerCase();
    if (!isJSON || coding !== 'identity' || status < 200 || (status > 200 && status < 400)) throw foreignAnswer(answer);
    if (status !== 200) throw readError(answer);
    try {
        return parseObject(answer.body);
    } catch (cause) {
        throw undecodable(String(/** @type {Error} */ (cause).message), cause);
    }
}

/**
 * @param {string} why
 * @param {unknown} [cause]
 */
export function undecodable(why, cause) {
    return ownError('undecodable_reply', `the answer is not what the method returns: ${why}`, { cause, httpStatus: 200 });
}

/** @param {Buffer} body */
function parseObject(body) {
    const value = parseJSON(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body));
    if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new SyntaxError('it is no object');
    return value;
}

/**
 * @param {Answer} answer
 */
function readError(answer) {
    let object;
    try {
        object = parseObject(answer.body);
    } catch {
        return foreignAnswer(answer);
    }
    const { code, message, details } = object;
    if (typeof code !== 'string') return foreignAnswer(answer);
    const said = readDetails(Array.isArray(details) ? details.slice(0, DETAIL_LIMIT) : []);
    return new AssayError({
        code,
        message: typeof message === 'string' ? message : '',
        reason: said.reason,
        retry: said.retry || undefined,
        retryAfterMs: said.retryAfterMs ?? retryAfter(answer.headers),
        link: said.link,
        httpStatus: answer.status,
    });
}

/**
 * What the details say, each where it can be read.
 *
 * @param {import('./json.js').JSONValue[]} details
 */
function readDetails(details) {
    /** @type {{ reason: string, retry: string, retryAfterMs?: number, link?: string }} */
    const said = { reason: '', retry: '' };
    for (const detail of details) {
        if (typeof detail !== 'object' || detail === null || Array.isArray(detail)) continue;
        const bytes = typeof detail.value === 'string' ? fromBase64(detail.value) : undefined;
        if (!bytes) continue;
        try {
            if (detail.type === 'google.rpc.ErrorInfo') Object.assign(said, readErrorInfo(bytes));
            if (detail.type === 'google.rpc.RetryInfo') said.retryAfterMs = readRetryDelay(bytes) ?? said.retryAfterMs;
            if (detail.type === 'google.rpc.Help') said.link ??= readHelpLink(bytes);
        } catch {
            // A detail that cannot be read says nothing; the error stands without it.
        }
    }
    return said;
}

/**
 * An answer that another server or a proxy gave.
 *
 * @param {Answer} answer
 */
function foreignAnswer({ status, headers }) {
    const code = FOREIGN_CODES.get(status) ?? 'unknown';
    const type = (headers['content-type'] ?? 'no content type').slice(0, 64);
    return new AssayError({
        code,
        reason: 'foreign_answer',
        message: `the answer (status ${status}, ${type}) is none of the daemon's: another server or a proxy gave it`,
        retry: code === 'unavailable' ? 'later' : 'contact_operator',
        retryAfterMs: retryAfter(headers),
        httpStatus: status,
    });
}

const DATE = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} \d\d:\d\d:\d\d GMT$/;

/**
 * The milliseconds of the header field `retry-after`, which has seconds or the date in the form that is written today (RFC 9110 §5.6.7).
 *
 * @param {import('node:http').IncomingHttpHeaders} headers
 */
function retryAfter(headers) {
    const text = headers['retry-after'] ?? '';
    if (/^[0-9]{1,9}$/.test(text)) return Number(text) * 1000;
    const then = DATE.test(text) ? Date.parse(text) : NaN;
    return Number.isNaN(then) ? undefined : Math.max(0, then - Date.now());
}
