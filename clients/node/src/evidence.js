import { FieldError } from './fields.js';
import { parseJSON } from './json.js';
import { evidence as evidenceMessage } from './messages.js';
import { ownError } from './ownErrors.js';

/**
 * @typedef {import('../types/requests.js').Evidence} EvidenceMessage
 * @typedef {import('../types/enumerations.js').KeySignatureAlgorithm} Algorithm
 */

/** What a device sent, for requests: one constructor for each kind. */
export const Evidence = Object.freeze({
    /** @type {(keyId: Uint8Array, attestation: Uint8Array) => EvidenceMessage} */
    appAttestAttestation: (keyId, attestation) => ({ appAttestAttestation: { keyId, attestation } }),

    /** @type {(keyId: Uint8Array, assertion: Uint8Array) => EvidenceMessage} */
    appAttestAssertion: (keyId, assertion) => ({ appAttestAssertion: { keyId, assertion } }),

    /** @type {(certificates: Uint8Array[]) => EvidenceMessage} */
    androidKeyAttestation: (certificates) => ({ androidKeyAttestation: { certificates } }),

    /** @type {(token: string) => EvidenceMessage} */
    playIntegrityToken: (token) => ({ playIntegrityToken: { token } }),

    /** @type {(keyId: Uint8Array, signature: Uint8Array, algorithm?: Algorithm) => EvidenceMessage} */
    keySignature: (keyId, signature, algorithm = 'ECDSA_P256_SHA256') => ({ keySignature: { keyId, algorithm, signature } }),

    /** @type {(json: Uint8Array) => EvidenceMessage} */
    certificateBundle: (json) => ({ certificateBundle: { json } }),

    /** @type {(token: Uint8Array) => EvidenceMessage} */
    deviceCheckToken: (token) => ({ deviceCheckToken: { token } }),

    /**
     * @type {(signature: {
     *     keyId: Uint8Array, signature: Uint8Array, capturedAtUnixMs: bigint, payloadSha256: Uint8Array, algorithm?: Algorithm
     * }) => EvidenceMessage}
     */
    offlineSignature: (signature) => ({ offlineSignature: { algorithm: 'ECDSA_P256_SHA256', ...signature } }),

    /** @type {(format: string, body: Uint8Array) => EvidenceMessage} */
    pluginEvidence: (format, body) => ({ pluginEvidence: { format, body } }),

    /** @type {(json: string | { [name: string]: unknown }) => EvidenceMessage} */
    fromJSON(json) {
        try {
            const value = typeof json === 'string' ? parseJSON(json) : /** @type {import('./json.js').JSONValue} */ (json);
            if (value === undefined || value === null) throw new FieldError('', 'an object');
            const evidence = /** @type {EvidenceMessage} */ (evidenceMessage.read(value, '', true));
            if (Object.keys(evidence).length !== 1) throw new FieldError('', 'exactly one kind of evidence');
            return evidence;
        } catch (error) {
            if (!(error instanceof FieldError || error instanceof SyntaxError)) throw error;
            throw ownError('bad_request', `evidence: ${error.message}`);
        }
    },
});
