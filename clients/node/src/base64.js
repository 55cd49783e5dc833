/**
 * Reads Base64 in either alphabet, with or without padding.
 *
 * @param {string} text
 * @returns {Buffer | undefined} nothing for another text
 */
export function fromBase64(text) {
    const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
    const length = text.length - padding;
    if (length % 4 === 1 || (padding > 0 && text.length % 4 !== 0)) return undefined;
    const bytes = Buffer.from(text, 'base64');
    // Buffer steps over what is no Base64, and the result is then shorter.
    if (bytes.length !== Math.floor((length * 3) / 4)) return undefined;
    return bytes;
}

/**
 * @param {Uint8Array} bytes
 * @returns {string} padded, in the standard alphabet
 */
export function toBase64(bytes) {
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}
