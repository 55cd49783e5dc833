import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { Evidence } from '../src/evidence.js';
import { FieldError } from '../src/fields.js';
import { parseJSON } from '../src/json.js';
import { device, issueCertificateResponse, verdict, verifyRequest } from '../src/messages.js';

describe('JSON', () => {
    test('is read as JSON.parse reads it', () => {
        const texts = ['{}', '[]', ' {"a" : [1, -2.5e3, true, false, null, "\\u00e9\\n\\"\\\\"], "b": {"c": ""}} ', '0', '-0', '"\\\\"', '1E+2', '{"a":1,"a":2}'];
        for (const text of texts) assert.deepEqual(parseJSON(text), JSON.parse(text));
    });

    test('is refused where JSON.parse refuses it', () => {
        const texts = ['', '{', '[1,]', '{"a":1,}', '{a:1}', "{'a':1}", '01', '+1', '1.', '.5', 'NaN', 'tru', '"\n"', '"\\x"', '"\\u12"', '"a', '[1 2]', '{"a" 1}', '1 1', '\ufeff{}', '"\\'];
        for (const text of texts) assert.throws(() => parseJSON(text), SyntaxError, text);
    });

    test('an integer beyond 2^53 is exact', () => {
        assert.equal(parseJSON('9007199254740993'), 9007199254740993n);
        assert.equal(parseJSON('-9223372036854775808'), -9223372036854775808n);
        assert.equal(parseJSON('9007199254740991'), 9007199254740991);
    });

    test('has at most 100 levels', () => {
        const nested = (levels) => '['.repeat(levels) + ']'.repeat(levels);
        assert.ok(parseJSON(nested(100)));
        assert.throws(() => parseJSON(nested(101)), SyntaxError);
        assert.throws(() => parseJSON('['.repeat(1_000_000)), SyntaxError);
    });

    test('sets no prototype', () => {
        const object = parseJSON('{"__proto__": {"accepted": true}}');
        assert.equal(Object.getPrototypeOf(object), Object.prototype);
        assert.equal(object.accepted, undefined);
    });

    test('a long text is read in a time that grows with its length', () => {
        const start = performance.now();
        for (const text of [`"${'\\"'.repeat(1_000_000)}"`, `"${'\\\\'.repeat(1_000_000)}"`, ' '.repeat(2_000_000) + '1']) parseJSON(text);
        assert.throws(() => parseJSON('9'.repeat(2_000_000)), SyntaxError);
        assert.ok(performance.now() - start < 5000);
    });
});

describe('Answers', () => {
    test('what is left out has its default', () => {
        const read = verdict.read({}, '', false);
        assert.deepEqual([read.decision, read.assurance, read.reason, read.repeated, read.decidedAtUnixMs, read.findings], ['', 'NONE', '', false, 0n, []]);
        assert.equal(read.deviceId.length, 0);
        assert.equal(read.wouldReject, undefined);
        assert.equal(issueCertificateResponse.read({}, '', false).verdict.decision, '');
    });

    test('values that are not known stay as they came, and members are not looked at', () => {
        const read = verdict.read({ decision: 'DECISION_PENDING', assurance: 9, retry: null, brandNew: [1] }, '', false);
        assert.deepEqual([read.decision, read.assurance, read.retry, read.brandNew], ['PENDING', '9', '', undefined]);
    });

    test('integers and bytes are taken in each form', () => {
        assert.equal(device.read({ registeredAtUnixMs: '1776124800000' }, '', false).registeredAtUnixMs, 1776124800000n);
        assert.equal(device.read({ registeredAtUnixMs: 5 }, '', false).registeredAtUnixMs, 5n);
        for (const text of ['+/8=', '-_8=', '+/8', '-_8']) assert.deepEqual(device.read({ deviceId: text }, '', false).deviceId, Buffer.from([0xfb, 0xff]));
    });

    test('a member of another type is refused by its place', () => {
        const wrong = [
            [{ findings: [{}, { check: 1 }] }, /^findings\[1\]\.check is not a text$/], [{ findings: {} }, /^findings is not a list$/],
            [{ repeated: 'true' }, /^repeated/], [{ deviceId: 'a' }, /Base64/], [{ deviceId: 'AA A' }, /Base64/], [{ decidedAtUnixMs: 1.5 }, /64 bits/],
            [{ decidedAtUnixMs: '9223372036854775808' }, /64 bits/], [{ decision: true }, /name/], [{ confidence: { score: { millionths: -1 } } }, /^confidence\.score\.millionths/],
        ];
        for (const [json, message] of wrong) assert.throws(() => verdict.read(json, '', false), (error) => error instanceof FieldError && message.test(error.message), JSON.stringify(json));
    });
});

describe('Requests', () => {
    test('members at their default are left out, and those of a choice are not', () => {
        const written = verifyRequest.write({
            app: 'photos', purpose: 'ASSERT', challenge: new Uint8Array(), subject: undefined, evidence: [Evidence.playIntegrityToken('t')],
            binding: { inEvidence: {} }, report: 'NEWER',
        }, '');
        assert.deepEqual(written, { app: 'photos', purpose: 'PURPOSE_ASSERT', evidence: [{ playIntegrityToken: { token: 't' } }], binding: { inEvidence: {} }, report: 'REPORT_NEWER' });
    });

    test('each kind of evidence has its members', () => {
        const [key, bytes] = [Buffer.from([1]), Buffer.from([2])];
        const kinds = [
            [Evidence.appAttestAttestation(key, bytes), { appAttestAttestation: { keyId: 'AQ==', attestation: 'Ag==' } }],
            [Evidence.appAttestAssertion(key, bytes), { appAttestAssertion: { keyId: 'AQ==', assertion: 'Ag==' } }],
            [Evidence.androidKeyAttestation([key, bytes]), { androidKeyAttestation: { certificates: ['AQ==', 'Ag=='] } }],
            [Evidence.keySignature(key, bytes), { keySignature: { keyId: 'AQ==', algorithm: 'ALGORITHM_ECDSA_P256_SHA256', signature: 'Ag==' } }],
            [Evidence.certificateBundle(bytes), { certificateBundle: { json: 'Ag==' } }],
            [Evidence.deviceCheckToken(bytes), { deviceCheckToken: { token: 'Ag==' } }],
            [
                Evidence.offlineSignature({ keyId: key, signature: bytes, capturedAtUnixMs: 7n, payloadSha256: bytes, algorithm: 'ED25519' }),
                { offlineSignature: { keyId: 'AQ==', algorithm: 'ALGORITHM_ED25519', signature: 'Ag==', capturedAtUnixMs: '7', payloadSha256: 'Ag==' } },
            ],
            [Evidence.pluginEvidence('depth', bytes), { pluginEvidence: { format: 'depth', body: 'Ag==' } }],
        ];
        for (const [evidence, json] of kinds) {
            assert.deepEqual(verifyRequest.write({ evidence: [evidence] }, ''), { evidence: [json] });
            assert.deepEqual(verifyRequest.write({ evidence: [Evidence.fromJSON(JSON.stringify(json))] }, ''), { evidence: [json] });
        }
    });

    test('evidence in JSON that is not known is refused', () => {
        const wrong = ['{}', '[]', 'null', '{"sealed":{}}', '{"playIntegrityToken":{"token":"t","more":1}}', '{"playIntegrityToken":{},"deviceCheckToken":{}}', '{'];
        for (const json of wrong) assert.throws(() => Evidence.fromJSON(json), { name: 'AssayError', reason: 'bad_request' }, json);
    });
});
