import http from 'node:http';

import { Exchange, StaleConnection } from './exchange.js';
import { ownError } from './ownErrors.js';
import { TLSAgent } from './tlsAgent.js';

/** Idle connections that are kept, and for how long. */
const IDLE_LIMIT = 8;
const IDLE_MS = 60_000;

/**
 * @typedef {object} Request
 * @property {string} path
 * @property {{ [name: string]: string }} headers
 * @property {Buffer} body
 * @property {number} timeoutMs
 * @property {boolean} isRepeatable sent twice it does no harm
 * @property {AbortSignal} [signal]
 *
 * @typedef {object} Limits
 * @property {number} connectTimeoutMs
 * @property {number} maxAnswerBytes
 */

/** The connections to one address, kept open between requests. */
export class Connections {
    /** @type {import('./address.js').Address} */
    #address;
    /** @type {Limits} */
    #limits;
    /** @type {http.Agent} */
    #agent;
    #isClosed = false;

    /**
     * @param {import('./address.js').Address} address
     * @param {import('./tlsAgent.js').Files} files of TLS
     * @param {Limits} limits
     * @throws {Error} if a file cannot be read
     */
    constructor(address, files, limits) {
        this.#address = address;
        this.#limits = limits;
        const options = { keepAlive: true, maxFreeSockets: IDLE_LIMIT, timeout: IDLE_MS };
        this.#agent = address.isEncrypted ? new TLSAgent(options, files) : new http.Agent(options);
    }

    /** Ends the connections, those in use too. */
    close() {
        this.#isClosed = true;
        this.#agent.destroy();
    }

    /**
     * Sends a request, and waits for the whole answer.
     *
     * @param {Request} request
     * @returns {Promise<import('./answers.js').Answer>}
     * @throws {import('./errors.js').AssayError}
     */
    async post(request) {
        const end = performance.now() + request.timeoutMs;
        if (this.#isClosed) throw ownError('bad_request', 'the client was closed');
        try {
            return await new Exchange(this.#address, this.#agent, this.#limits, request).answer;
        } catch (error) {
            if (!(error instanceof StaleConnection)) throw error;
            const timeoutMs = end - performance.now();
            if (!request.isRepeatable || timeoutMs <= 0) throw error.lost;
            // An agent of its own makes a connection of its own.
            const agent = this.#freshAgent();
            try {
                return await new Exchange(this.#address, agent, this.#limits, { ...request, timeoutMs }).answer;
            } finally {
                agent.destroy();
            }
        }
    }

    #freshAgent() {
        return this.#agent instanceof TLSAgent ? this.#agent.fresh() : new http.Agent();
    }
}
