// The driver of the conformance suite for Node (clients/conformance/README.md): a call for each line of standard input.
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';

import { toBase64 } from './src/base64.js';
import { AssayClient } from './src/client.js';
import { AssayError } from './src/errors.js';
import { FieldError } from './src/fields.js';
import * as methods from './src/methods.js';
import { ownError } from './src/ownErrors.js';

/** @typedef {{ [name: string]: any }} JSONObject */

/**
 * The client's type of a request in JSON.
 *
 * @type {{ [method: string]: methods.Method }}
 */
const TYPED = {
    issueChallenge: methods.ISSUE_CHALLENGE, verify: methods.VERIFY, issueCertificate: methods.ISSUE_CERTIFICATE,
    provisionDevice: methods.PROVISION_DEVICE, getDevice: methods.GET_DEVICE, listDevices: methods.LIST_DEVICES, block: methods.BLOCK,
    unblock: methods.UNBLOCK, findVerdicts: methods.FIND_VERDICTS, getResultKeys: methods.GET_RESULT_KEYS,
};
/**
 * Options of the suite; the others are the client's.
 *
 */
const OF_THE_SUITE = new Set(['client', 'fakeTime', 'chance', 'callTimeoutMs', 'idempotencyKey', 'idempotent']);

/**
 * @param {JSONObject} object
 * @param {string[]} names
 */
const pick = (object, names) => Object.fromEntries(names.map((name) => [name, said(object[name])]));

/**
 * A value as an outcome has it.
 *
 * @param {any} value
 * @returns {any}
 */
function said(value) {
    if (typeof value === 'bigint') return String(value);
    if (value instanceof Uint8Array) return toBase64(value);
    return Array.isArray(value) ? value.map(said) : value;
}

/** @param {import('./types/index.js').Verdict} verdict */
const verdictSaid = (verdict) => ({
    ...pick(verdict, [
        'accepted', 'decision', 'assurance', 'reason', 'detail', 'check', 'retry', 'deviceId', 'requestId', 'simulated', 'repeated',
        'decidedAtUnixMs',
    ]),
    findings: verdict.findings.map((each) => pick(each, ['check', 'outcome', 'code'])),
    claims: Object.fromEntries(
        verdict.claims.map(({ name, texts, ...value }) => [name, texts ? texts.values : said(Object.values(value)[0])])),
    wouldReject: verdict.wouldReject?.reason ?? '',
});

/** @param {import('./types/index.js').Device} device */
const deviceSaid = (device) =>
    pick(device, ['deviceId', 'app', 'format', 'keyId', 'state', 'counter', 'registeredAtUnixMs', 'simulated', 'blockReason']);

/** @type {{ [method: string]: (answer: any) => JSONObject }} */
const OUTCOMES = {
    issueChallenge: (answer) => pick(answer, ['challenge', 'expiresAtUnixMs']),
    verify: verdictSaid,
    issueCertificate: (answer) => ({
        verdict: verdictSaid(answer.verdict),
        certificate: said(answer.certificate?.certificate ?? ''),
        chain: said(answer.chain),
    }),
    provisionDevice: (answer) => ({
        ...pick(answer, [
            'provisioned', 'deviceCertificate', 'certificateChain', 'keyTableIndices', 'deviceSecret', 'devicePrivateKey', 'deviceId',
            'repeated',
        ]),
        keyTables: answer.keyTables.map((/** @type {JSONObject} */ table) => table.keys.length),
        reason: answer.rejection?.reason ?? '',
        retry: answer.rejection?.retry ?? '',
    }),
    getDevice: deviceSaid,
    listDevices: (answer) => ({ devices: answer.devices.map(deviceSaid), nextPageToken: said(answer.nextPageToken) }),
    block: (answer) => pick(answer, ['devices', 'wasBlocked', 'revokedCertificates']),
    unblock: (answer) => pick(answer, ['devices', 'wasBlocked', 'stillBlocked']),
    findVerdicts: (answer) => ({
        ...pick(answer, ['found', 'truncated', 'noteCode']),
        verdicts: answer.verdicts.map((/** @type {JSONObject} */ each) =>
            pick(each, ['requestId', 'decision', 'decidedAtUnixMs', 'match', 'deviceState', 'simulated'])),
        results: answer.results.map((/** @type {JSONObject} */ { text = '', binary = '', problem, ...each }) => ({
            ...pick(each, ['shape', 'audience', 'expiresAtUnixMs']), text, binary: said(binary), problem: problem?.code ?? '',
        })),
    }),
    getResultKeys: (answer) => pick(answer, ['issuer', 'jwks']),
    whoAmI: (answer) => pick(answer, ['name', 'recognisedBy', 'roles', 'allApps', 'apps']),
    call: (answer) => answer,
};

/**
 * The pauses of a line, and how far they have put the clock forward.
 *
 */
let waits = /** @type {number[]} */ ([]);
let aheadMs = 0;
/**
 * Clients that several lines use.
 *
 */
const clients = /** @type {Map<string, AssayClient>} */ (new Map());

/** @param {JSONObject} options */
function makeClient(options) {
    const own = Object.fromEntries(Object.entries(options).filter(([name]) => !OF_THE_SUITE.has(name)));
    return new AssayClient(/** @type {any} */ (own), {
        now: () => performance.now() + aheadMs,
        sleep(ms, signal) {
            waits.push(ms / 1000);
            if (!options.fakeTime) return sleep(ms, undefined, { signal });
            aheadMs += ms;
            return Promise.resolve();
        },
        chance: () => options.chance ?? 0.5,
    });
}

/**
 * @param {AssayClient} client
 * @param {string} name
 * @param {JSONObject} request
 * @param {JSONObject} options
 */
function makeCall(client, name, request, options) {
    if (name === 'call') return client.call(request.service, request.method, request.message, options);
    if (name === 'whoAmI') return client.whoAmI(options);
    return /** @type {any} */ (client)[name](typeOf(name, request), options);
}

/**
 * @param {string} name
 * @param {JSONObject} request
 */
function typeOf(name, request) {
    try {
        return TYPED[name].request.read(request, '', true);
    } catch (error) {
        throw error instanceof FieldError ? ownError('bad_request', error.message) : error;
    }
}

/**
 * @param {JSONObject} line
 * @returns {Promise<JSONObject>}
 */
async function answer(line) {
    [waits, aheadMs] = [[], 0];
    const { options = {}, method: name, request } = line;
    if (!Object.hasOwn(OUTCOMES, name)) throw new Error(`there is no method ${name}`);
    let client;
    try {
        client = clients.get(options.client) ?? makeClient(options);
        if (options.client) clients.set(options.client, client);
        const { callTimeoutMs: timeoutMs, idempotencyKey, idempotent } = options;
        const ofCall = Object.entries({ timeoutMs, idempotencyKey, idempotent });
        const given = Object.fromEntries(ofCall.filter(([, value]) => value !== undefined));
        return { outcome: OUTCOMES[name](await makeCall(client, name, request, given)), waits };
    } catch (error) {
        if (!(error instanceof AssayError)) throw error;
        const { code, reason, message, retry, retryAfterMs = null, link, httpStatus, attempts } = error;
        return { error: { code, reason, message, retry, retryAfterMs, link, httpStatus, attempts }, waits };
    } finally {
        if (!options.client) client?.close();
    }
}

/**
 * JSON in which an integer that a number cannot hold is a number all the same.
 *
 * @param {JSONObject} value
 */
function written(value) {
    const mark = '\u0001';
    const text = JSON.stringify(value, (_, each) => (typeof each === 'bigint' ? `${mark}${each}${mark}` : each));
    return text.replace(/"\\u0001(-?[0-9]+)\\u0001"/g, '$1');
}

for await (const text of createInterface({ input: process.stdin })) {
    /** @type {JSONObject} */
    let line = {};
    let answered;
    try {
        line = JSON.parse(text);
        answered = await answer(line);
    } catch (error) {
        answered = { broken: String(error) };
    }
    process.stdout.write(`${written({ id: line.id ?? null, ...answered })}\n`);
}
for (const client of clients.values()) client.close();
