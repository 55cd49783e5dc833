/**
 * The details beside an error: messages of `google.rpc` in protobuf, of which a few fields are read. Each function throws a RangeError
 * for what is no message.
 */

/**
 * A field of a message: an integer of a varint, or the bytes of a text or message. Fixed-length fields are stepped over.
 *
 * @typedef {{ number: number, integer?: bigint, bytes?: Buffer }} Field
 */

/** @param {Buffer} message */
function* fieldsOf(message) {
    let at = 0;
    const varint = () => {
        let value = 0n;
        for (let shift = 0n; shift < 70n; shift += 7n) {
            const byte = message.readUInt8(at);
            at += 1;
            value |= BigInt(byte & 0x7f) << shift;
            if (byte < 0x80) return BigInt.asUintN(64, value);
        }
        throw new RangeError('a varint is too long');
    };
    while (at < message.length) {
        const tag = varint();
        /** @type {Field} */
        const field = { number: Number(tag >> 3n) };
        switch (Number(tag & 7n)) {
            case 0:
                field.integer = varint();
                break;
            case 1:
                at += 8;
                break;
            case 2: {
                const length = varint();
                if (length > BigInt(message.length - at)) throw new RangeError('a field is cut');
                field.bytes = message.subarray(at, at + Number(length));
                at += Number(length);
                break;
            }
            case 5:
                at += 4;
                break;
            default:
                throw new RangeError('a group, or an unknown type of field');
        }
        if (at > message.length) throw new RangeError('a field is cut');
        yield field;
    }
}

/**
 * @param {Buffer} message
 * @returns {Map<number, Buffer>} the last text or message of each number
 */
function lastBytes(message) {
    const found = new Map();
    for (const { number, bytes } of fieldsOf(message)) if (bytes) found.set(number, bytes);
    return found;
}

/** @param {Buffer | undefined} bytes */
const utf8 = (bytes) => (bytes === undefined ? '' : new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes));

/**
 * What a `google.rpc.ErrorInfo` of the domain `assay` says.
 *
 * @param {Buffer} message
 * @returns {{ reason: string, retry: string } | undefined} nothing for another domain
 */
export function readErrorInfo(message) {
    let [reason, domain, retry] = ['', '', ''];
    for (const { number, bytes } of fieldsOf(message)) {
        if (number === 1) reason = utf8(bytes);
        if (number === 2) domain = utf8(bytes);
        if (number === 3 && bytes) {
            const entry = lastBytes(bytes);
            if (utf8(entry.get(1)) === 'retry') retry = utf8(entry.get(2));
        }
    }
    return domain === 'assay' ? { reason, retry } : undefined;
}

/**
 * The milliseconds of a `google.rpc.RetryInfo`.
 *
 * @param {Buffer} message
 * @returns {number | undefined} nothing for one without a time, and for one that cannot be
 */
export function readRetryDelay(message) {
    const duration = lastBytes(message).get(1);
    if (!duration) return undefined;
    let [seconds, nanoseconds] = [0n, 0n];
    for (const { number, integer } of fieldsOf(duration)) {
        if (number === 1 && integer !== undefined) seconds = integer;
        if (number === 2 && integer !== undefined) nanoseconds = integer;
    }
    if (seconds >= 1n << 40n || nanoseconds >= 1_000_000_000n) return undefined;
    return Number(seconds) * 1000 + Math.ceil(Number(nanoseconds) / 1_000_000);
}

/**
 * The first link of a `google.rpc.Help` that may be shown and followed.
 *
 * @param {Buffer} message
 * @returns {string | undefined}
 */
export function readHelpLink(message) {
    for (const { number, bytes } of fieldsOf(message)) {
        if (number !== 1 || !bytes) continue;
        const url = lastBytes(bytes).get(2)?.toString('latin1') ?? '';
        if (/^https:\/\/[!-~]*$/.test(url) && url.length <= 1000) return url;
    }
    return undefined;
}
