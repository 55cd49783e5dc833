import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import { readAnswer, undecodable } from './answers.js';
import { toBase64 } from './base64.js';
import { Connections } from './connections.js';
import { AssayError } from './errors.js';
import { FieldError } from './fields.js';
import * as methods from './methods.js';
import { bad, isVisible, readCallTimeout, readOptions } from './options.js';
import { ownError } from './ownErrors.js';
import { pauseAfter } from './retries.js';
import { VERSION } from './version.js';

/** @type {import('./retries.js').Time} */
const REAL_TIME = {
    now: () => performance.now(),
    sleep: (ms, signal) => sleep(ms, undefined, { signal }),
    chance: Math.random,
};

/**
 * @typedef {import('../types/index.js').KeyedCallOptions & { idempotent?: boolean }} CallOptions
 *
 * @typedef {object} Call what is sent, by each try alike
 * @property {string} path
 * @property {Buffer} body
 * @property {string} [idempotencyKey]
 * @property {boolean} isRepeatable
 * @property {number} timeoutMs
 * @property {AbortSignal} [signal]
 */

/** A client of a daemon. One serves a whole program, with any number of calls at a time. */
export class AssayClient {
    #options;
    #connections;
    #time;

    /**
     * @param {import('../types/index.js').ClientOptions} options
     * @param {import('./retries.js').Time} [time] for tests
     * @throws {AssayError} `bad_option`; the message names the option
     */
    constructor(options, time = REAL_TIME) {
        this.#options = readOptions(options);
        this.#time = time;
        try {
            this.#connections = new Connections(this.#options.address, this.#options, this.#options);
        } catch (error) {
            throw bad(/** @type {Error} */ (error).message, '');
        }
    }

    /**
     * @param {import('../types/index.js').IssueChallengeRequest} request
     * @param {import('../types/index.js').CallOptions} [options]
     */
    issueChallenge(request, options) {
        return this.#typed(methods.ISSUE_CHALLENGE, request, options);
    }

    /**
     * @param {import('../types/index.js').VerifyRequest} request
     * @param {import('../types/index.js').KeyedCallOptions} [options]
     */
    async verify(request, options) {
        const verdict = await this.#typed(methods.VERIFY, request, options);
        return judged(verdict, verdict.raw, this.#makesKey(options));
    }

    /**
     * @param {import('../types/index.js').IssueCertificateRequest} request
     * @param {import('../types/index.js').KeyedCallOptions} [options]
     */
    async issueCertificate(request, options) {
        const answer = await this.#typed(methods.ISSUE_CERTIFICATE, request, options);
        judged(answer.verdict, answer.raw.verdict ?? {}, this.#makesKey(options));
        return answer;
    }

    /**
     * @param {import('../types/index.js').ProvisionDeviceRequest} request
     * @param {import('../types/index.js').KeyedCallOptions} [options]
     */
    async provisionDevice(request, options) {
        const answer = await this.#typed(methods.PROVISION_DEVICE, request, options);
        answer.provisioned = answer.rejection === undefined && answer.deviceCertificate.length > 0;
        // Without a CSR a repeated answer lacks the private key: then the caller has to know.
        if (this.#makesKey(options) && request.csr?.length) answer.repeated = false;
        return answer;
    }

    /**
     * @param {import('../types/index.js').GetDeviceRequest} request
     * @param {import('../types/index.js').CallOptions} [options]
     */
    getDevice(request, options) {
        return this.#typed(methods.GET_DEVICE, request, options);
    }

    /**
     * @param {import('../types/index.js').ListDevicesRequest} request
     * @param {import('../types/index.js').CallOptions} [options]
     */
    listDevices(request, options) {
        return this.#typed(methods.LIST_DEVICES, request, options);
    }

    /**
     * @param {import('../types/index.js').BlockRequest} request
     * @param {import('../types/index.js').CallOptions} [options]
     */
    block(request, options) {
        return this.#typed(methods.BLOCK, request, options);
    }

    /**
     * @param {import('../types/index.js').UnblockRequest} request
     * @param {import('../types/index.js').CallOptions} [options]
     */
    unblock(request, options) {
        return this.#typed(methods.UNBLOCK, request, options);
    }

    /**
     * @param {import('../types/index.js').FindVerdictsRequest} request
     * @param {import('../types/index.js').CallOptions} [options]
     */
    findVerdicts(request, options) {
        return this.#typed(methods.FIND_VERDICTS, request, options);
    }

    /**
     * @param {import('../types/index.js').GetResultKeysRequest} [request]
     * @param {import('../types/index.js').CallOptions} [options]
     */
    getResultKeys(request = {}, options) {
        return this.#typed(methods.GET_RESULT_KEYS, request, options);
    }

    /** @param {import('../types/index.js').CallOptions} [options] */
    whoAmI(options) {
        return this.#typed(methods.WHO_AM_I, {}, options);
    }

    /**
     * @param {string} service
     * @param {string} method
     * @param {import('../types/index.js').Message} message
     * @param {import('../types/index.js').GenericCallOptions} [options]
     */
    async call(service, method, message, options = {}) {
        for (const [name, word] of [['service', service], ['method', method]]) {
            if (typeof word === 'string' && /^[A-Za-z0-9._]{1,256}$/.test(word)) continue;
            throw this.#told(ownError('bad_request', `${name} is not a word of A-Z a-z 0-9 . _`));
        }
        const hasKey = Object.hasOwn(message ?? {}, 'idempotencyKey') || Object.hasOwn(message ?? {}, 'idempotency_key');
        if (hasKey && options.idempotencyKey !== undefined) {
            throw this.#told(ownError('bad_request', 'idempotencyKey is given twice: in the message, and beside it'));
        }
        return this.#send(options, ({ idempotencyKey, idempotent }) => ({
            path: `/${service.includes('.') ? service : `assay.v1.${service}`}/${method}`,
            body: writeJSON(message),
            idempotencyKey,
            isRepeatable: idempotent === true || idempotencyKey !== undefined || hasKey,
        }), (raw) => raw);
    }

    /** Ends the connections. Calls in flight fail, and further ones do. */
    close() {
        this.#connections.close();
    }

    /**
     * Whether a call gets a key that its caller does not know.
     *
     * @param {CallOptions} [options]
     */
    #makesKey(options) {
        return this.#options.idempotencyKeys && options?.idempotencyKey === undefined;
    }

    /**
     * @param {methods.Method} method
     * @param {object} request
     * @param {CallOptions} [options]
     * @returns {Promise<any>} the answer as the method's type has it
     */
    async #typed(method, request, options = {}) {
        const takesKey = method.repeatable === 'with a key';
        return this.#send(options, ({ idempotencyKey, idempotent }) => {
            if (idempotent !== undefined || (idempotencyKey !== undefined && !takesKey)) {
                throw ownError('bad_request', `${idempotent === undefined ? 'idempotencyKey' : 'idempotent'} is no option of this method`);
            }
            const key = takesKey && this.#makesKey(options) ? randomBytes(16).toString('hex') : idempotencyKey;
            const body = writeJSON(method.request.write(request, ''));
            return { path: method.path, body, idempotencyKey: key, isRepeatable: method.repeatable === 'always' || key !== undefined };
        }, (raw) => Object.assign(/** @type {object} */ (method.answer.read(raw, '', false)), { raw }));
    }

    /**
     * Tries until there is an answer, an error that another try does not help, no try left, or no time for one.
     *
     * @template Answer
     * @param {CallOptions} options
     * @param {(options: CallOptions) => Omit<Call, 'timeoutMs' | 'signal'>} prepare
     * @param {(raw: import('../types/index.js').JSONObject) => Answer} read
     * @returns {Promise<Answer>}
     */
    async #send(options, prepare, read) {
        let attempts = 0;
        try {
            const { timeoutMs, signal, idempotencyKey } = checkCallOptions(options);
            const call = prepare({ ...options, idempotencyKey: idempotencyKey ?? undefined });
            const end = this.#time.now() + (timeoutMs ?? this.#options.timeoutMs);
            for (;;) {
                attempts += 1;
                try {
                    return read(await this.#try({ ...call, timeoutMs: end - this.#time.now(), signal }));
                } catch (error) {
                    if (error instanceof FieldError) throw undecodable(error.message, error);
                    if (!(error instanceof AssayError)) throw error;
                    const mayHelp = error.retry === 'later' && (call.isRepeatable || error.wasNotBegun);
                    if (!mayHelp || attempts >= this.#options.tries) throw error;
                    const pause = pauseAfter(attempts, error.retryAfterMs, this.#time.chance());
                    // A pause beyond the time-out would only delay the error.
                    if (pause >= end - this.#time.now()) throw error;
                    await this.#pause(pause, signal);
                }
            }
        } catch (error) {
            throw this.#told(error instanceof FieldError ? ownError('bad_request', `the request: ${error.message}`) : error, attempts);
        }
    }

    /** @param {Call} call */
    async #try({ path, body, idempotencyKey, isRepeatable, timeoutMs, signal }) {
        if (timeoutMs <= 0) throw ownError('timeout', 'the time-out of the call passed');
        const { apiKey } = this.#options;
        /** @type {{ [name: string]: string }} */
        const headers = {
            'content-type': 'application/json',
            accept: 'application/json',
            'accept-encoding': 'identity',
            'user-agent': `assay-node/${VERSION}`,
            'connect-timeout-ms': String(Math.ceil(timeoutMs)),
        };
        if (apiKey !== undefined) headers.authorization = `Bearer ${apiKey}`;
        if (idempotencyKey !== undefined) headers['idempotency-key'] = idempotencyKey;
        return readAnswer(await this.#connections.post({ path, headers, body, timeoutMs, isRepeatable, signal }));
    }

    /**
     * @param {number} ms
     * @param {AbortSignal} [signal]
     */
    async #pause(ms, signal) {
        try {
            await this.#time.sleep(ms, signal);
        } catch (cause) {
            throw ownError('cancelled', 'the caller gave the call up', { cause });
        }
    }

    /**
     * An error as callers see it.
     *
     * @param {unknown} error
     * @param {number} [attempts]
     */
    #told(error, attempts = 0) {
        if (!(error instanceof AssayError)) return error;
        error.attempts = attempts || error.attempts;
        const { documentation } = this.#options;
        if (documentation !== undefined && !/^https?:/.test(error.link)) error.link = `${documentation}/${error.link}`;
        return error;
    }
}

const CALL_OPTIONS = new Set(['timeoutMs', 'signal', 'idempotencyKey', 'idempotent']);

/** @param {CallOptions} options */
function checkCallOptions(options) {
    if (typeof options !== 'object' || options === null) throw ownError('bad_request', 'the options of the call are not an object');
    const unknown = Object.keys(options).find((name) => !CALL_OPTIONS.has(name));
    if (unknown !== undefined) {
        throw ownError('bad_request', `${unknown.slice(0, 64)} is no option of a call; there are ${[...CALL_OPTIONS].join(', ')}`);
    }
    const { timeoutMs, signal, idempotencyKey } = options;
    if (timeoutMs !== undefined) readCallTimeout(timeoutMs);
    if (signal !== undefined && !(signal instanceof AbortSignal)) throw ownError('bad_request', 'signal is not an AbortSignal');
    if (idempotencyKey !== undefined && !isVisible(idempotencyKey, 64)) {
        throw ownError('bad_request', 'idempotencyKey is not 1 to 64 visible ASCII characters, without spaces');
    }
    return { timeoutMs, signal, idempotencyKey };
}

/**
 * A verdict as the caller may take it.
 *
 * @param {any} verdict
 * @param {any} raw
 * @param {boolean} isKeyOfTheClient the caller does not know the idempotency key, and has not had the verdict before
 */
function judged(verdict, raw, isKeyOfTheClient) {
    verdict.accepted = raw.decision === 'DECISION_ACCEPTED';
    const isStatement = verdict.findings.some((/** @type {any} */ finding) => finding.code === 'statement_repeated');
    if (isKeyOfTheClient && !isStatement) verdict.repeated = false;
    return verdict;
}

/**
 * @param {unknown} message
 * @returns {Buffer}
 */
function writeJSON(message) {
    if (typeof message !== 'object' || message === null || Array.isArray(message)) {
        throw ownError('bad_request', 'the message is not an object');
    }
    try {
        return Buffer.from(JSON.stringify(message, memberOfMessage));
    } catch (error) {
        throw ownError('bad_request', `the message cannot be written in JSON: ${/** @type {Error} */ (error).message}`);
    }
}

/**
 * Bytes in Base64, and integers of 64 bits as text.
 *
 * @this {any}
 * @param {string} name
 * @param {unknown} value
 */
function memberOfMessage(name, value) {
    const given = this[name];
    if (given instanceof Uint8Array) return toBase64(given);
    return typeof given === 'bigint' ? String(given) : value;
}
