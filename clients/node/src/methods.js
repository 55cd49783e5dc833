import * as messages from './messages.js';

/**
 * A method of the daemon.
 *
 * @typedef {object} Method
 * @property {string} path
 * @property {ReturnType<typeof import('./fields.js').message>} request
 * @property {ReturnType<typeof import('./fields.js').message>} answer
 * @property {'always' | 'with a key' | 'never'} repeatable whether a call may be sent again whose answer did not arrive
 */

/**
 * @param {string} path
 * @param {Method['request']} request
 * @param {Method['answer']} answer
 * @param {Method['repeatable']} repeatable
 * @returns {Readonly<Method>}
 */
const method = (path, request, answer, repeatable) => Object.freeze({ path: `/assay.v1.${path}`, request, answer, repeatable });

export const ISSUE_CHALLENGE = method('Attestation/IssueChallenge', messages.issueChallengeRequest, messages.issueChallengeResponse, 'always');
export const VERIFY = method('Attestation/Verify', messages.verifyRequest, messages.verdict, 'with a key');
export const ISSUE_CERTIFICATE = method('Provisioning/Issue', messages.issueCertificateRequest, messages.issueCertificateResponse, 'with a key');
export const PROVISION_DEVICE = method(
    'Provisioning/ProvisionDevice', messages.provisionDeviceRequest, messages.provisionDeviceResponse, 'with a key');
export const GET_DEVICE = method('Devices/Get', messages.getDeviceRequest, messages.device, 'always');
export const LIST_DEVICES = method('Devices/List', messages.listDevicesRequest, messages.listDevicesResponse, 'always');
export const BLOCK = method('Devices/Block', messages.blockRequest, messages.blockResponse, 'always');
export const UNBLOCK = method('Devices/Unblock', messages.unblockRequest, messages.unblockResponse, 'never');
export const FIND_VERDICTS = method('Verdicts/Find', messages.findVerdictsRequest, messages.findVerdictsResponse, 'always');
export const GET_RESULT_KEYS = method('Results/GetKeys', messages.getResultKeysRequest, messages.getResultKeysResponse, 'always');
export const WHO_AM_I = method('Operations/WhoAmI', messages.whoAmIRequest, messages.whoAmIResponse, 'always');
