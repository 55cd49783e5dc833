import * as all from './messages.js';

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

export const ISSUE_CHALLENGE = method('Attestation/IssueChallenge', all.issueChallengeRequest, all.issueChallengeResponse, 'always');
export const VERIFY = method('Attestation/Verify', all.verifyRequest, all.verdict, 'with a key');
export const ISSUE_CERTIFICATE = method('Provisioning/Issue', all.issueCertificateRequest, all.issueCertificateResponse, 'with a key');
export const PROVISION_DEVICE = method(
    'Provisioning/ProvisionDevice', all.provisionDeviceRequest, all.provisionDeviceResponse, 'with a key');
export const GET_DEVICE = method('Devices/Get', all.getDeviceRequest, all.device, 'always');
export const LIST_DEVICES = method('Devices/List', all.listDevicesRequest, all.listDevicesResponse, 'always');
export const BLOCK = method('Devices/Block', all.blockRequest, all.blockResponse, 'always');
export const UNBLOCK = method('Devices/Unblock', all.unblockRequest, all.unblockResponse, 'never');
export const FIND_VERDICTS = method('Verdicts/Find', all.findVerdictsRequest, all.findVerdictsResponse, 'always');
export const GET_RESULT_KEYS = method('Results/GetKeys', all.getResultKeysRequest, all.getResultKeysResponse, 'always');
export const WHO_AM_I = method('Operations/WhoAmI', all.whoAmIRequest, all.whoAmIResponse, 'always');
