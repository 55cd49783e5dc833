/**
 * How the members of messages are read from JSON and written to it. A type is one object of the constants and functions below.
 *
 * Reading is lenient towards daemons that are newer (docs/reference/http.md#json), unless it is strict: then members that are not known are refused,
 * since they could say what a request is about.
 */
import { fromBase64, toBase64 } from './base64.js';

/** What is wrong with a value, and where it stands. */
export class FieldError extends Error {
    /**
     * @param {string} place
     * @param {string} wanted
     */
    constructor(place, wanted) {
        super(`${place || 'it'} is not ${wanted}`);
    }
}

/**
 * @typedef {import('./json.js').JSONValue} JSONValue
 *
 * @typedef {object} Type
 * @property {(json: JSONValue, place: string, isStrict: boolean) => unknown} read of a value that is given and not null
 * @property {(value: unknown, place: string) => JSONValue} write
 * @property {() => unknown} absent the value of a member that is left out
 * @property {(value: unknown) => boolean} isDefault whether a request leaves the value out
 */

/** @type {Type} */
export const TEXT = {
    read: text,
    write: text,
    absent: () => '',
    isDefault: (value) => value === '',
};

/** @type {Type} */
export const BOOLEAN = {
    read: boolean,
    write: boolean,
    absent: () => false,
    isDefault: (value) => value === false,
};

/** @type {Type} */
export const BYTES = {
    read(json, place) {
        const bytes = typeof json === 'string' ? fromBase64(json) : undefined;
        if (!bytes) throw new FieldError(place, 'Base64');
        return bytes;
    },
    write(value, place) {
        if (!(value instanceof Uint8Array)) throw new FieldError(place, 'a Uint8Array');
        return toBase64(value);
    },
    absent: () => Buffer.alloc(0),
    isDefault: (value) => value instanceof Uint8Array && value.length === 0,
};

/** @type {Type} */
export const UINT32 = {
    read: (json, place) => Number(integer(json, place, 0n, 2n ** 32n - 1n, 'an integer of 0 to 4294967295')),
    write: (value, place) => Number(integer(value, place, 0n, 2n ** 32n - 1n, 'an integer of 0 to 4294967295')),
    absent: () => 0,
    isDefault: (value) => value === 0,
};

/**
 * A bigint.
 *
 * @type {Type}
 */
export const INT64 = {
    read: (json, place) => integer(json, place, -(2n ** 63n), 2n ** 63n - 1n, 'an integer of 64 bits'),
    write: (value, place) => String(integer(value, place, -(2n ** 63n), 2n ** 63n - 1n, 'an integer of 64 bits')),
    absent: () => 0n,
    isDefault: (value) => value === 0n || value === 0,
};

/**
 * Names without their prefix. A value that is not known stays as it came.
 *
 * @param {string} prefix
 * @param {string[]} names all but that of the unspecified value
 * @param {string} [zero] the name of the value that is left out; without one it is the empty text
 * @returns {Type & { names: string[] }}
 */
export function enumeration(prefix, names, zero = '') {
    return {
        names,
        read(json, place) {
            if (typeof json === 'number' && Number.isInteger(json)) return json === 0 ? zero : String(json);
            if (typeof json !== 'string') throw new FieldError(place, 'the name of a value');
            const name = json.startsWith(prefix) ? json.slice(prefix.length) : json;
            return name === 'UNSPECIFIED' ? zero : name;
        },
        // A name that is not listed is for the daemon to judge, which may be newer.
        write(value, place) {
            const name = text(value, place);
            return name.startsWith(prefix) || /^[0-9]+$/.test(name) ? name : prefix + name;
        },
        absent: () => zero,
        isDefault: (value) => value === zero,
    };
}

/**
 * @param {Type} type
 * @returns {Type & { element: Type }}
 */
export function listOf(type) {
    return {
        element: type,
        read: (json, place, isStrict) => list(json, place).map((value, index) => type.read(value, `${place}[${index}]`, isStrict)),
        write: (value, place) => list(value, place).map((each, index) => type.write(each, `${place}[${index}]`)),
        absent: () => [],
        isDefault: (value) => Array.isArray(value) && value.length === 0,
    };
}

/**
 * A member of a choice: that it is given means something, whatever its value.
 *
 * @param {Type} type
 * @returns {Type}
 */
export function optional(type) {
    return { ...type, absent: () => undefined, isDefault: () => false };
}

/**
 * A message that is there also where the answer leaves it out.
 *
 * @param {Type} type
 * @returns {Type}
 */
export function present(type) {
    return { ...type, absent: () => type.read({}, '', false) };
}

/**
 * @param {string} name as in proto/assay/v1
 * @param {{ [name: string]: Type }} members in the order of the message's declaration
 * @returns {Type & { name: string, members: { [name: string]: Type } }}
 */
export function message(name, members) {
    return {
        name,
        members,
        read(json, place, isStrict) {
            const object = objectOf(json, place);
            if (isStrict) {
                const unknown = Object.keys(object).find((each) => !Object.hasOwn(members, each));
                if (unknown !== undefined) throw new FieldError(within(place, unknown.slice(0, 64)), `a member of ${name}`);
            }
            /** @type {{ [name: string]: unknown }} */
            const read = {};
            for (const [member, type] of Object.entries(members)) {
                const value = Object.hasOwn(object, member) ? object[member] : null;
                const result = value === null ? type.absent() : type.read(value, within(place, member), isStrict);
                if (result !== undefined) read[member] = result;
            }
            return read;
        },
        write(value, place) {
            /** @type {{ [name: string]: JSONValue }} */
            const written = {};
            for (const [member, given] of Object.entries(objectOf(value, place))) {
                const type = Object.hasOwn(members, member) ? members[member] : undefined;
                if (!type) throw new FieldError(within(place, member.slice(0, 64)), `a member of ${name}`);
                if (given === undefined || given === null || type.isDefault(given)) continue;
                written[member] = type.write(given, within(place, member));
            }
            return written;
        },
        absent: () => undefined,
        isDefault: () => false,
    };
}

/**
 * @param {string} place
 * @param {string} member
 */
const within = (place, member) => (place ? `${place}.${member}` : member);

/**
 * @param {unknown} value
 * @param {string} place
 */
function text(value, place) {
    if (typeof value !== 'string') throw new FieldError(place, 'a text');
    return value;
}

/**
 * @param {unknown} value
 * @param {string} place
 */
function boolean(value, place) {
    if (typeof value !== 'boolean') throw new FieldError(place, 'true or false');
    return value;
}

/**
 * Of a number, a bigint, or a text of digits.
 *
 * @param {unknown} value
 * @param {string} place
 * @param {bigint} least
 * @param {bigint} most
 * @param {string} wanted
 */
function integer(value, place, least, most, wanted) {
    const isInteger =
        typeof value === 'bigint' || (typeof value === 'number' && Number.isInteger(value)) ||
        (typeof value === 'string' && /^-?[0-9]{1,20}$/.test(value));
    const read = isInteger ? BigInt(/** @type {bigint | number | string} */ (value)) : most + 1n;
    if (read < least || read > most) throw new FieldError(place, wanted);
    return read;
}

/**
 * @param {unknown} value
 * @param {string} place
 * @returns {any[]}
 */
function list(value, place) {
    if (!Array.isArray(value)) throw new FieldError(place, 'a list');
    return value;
}

/**
 * @param {unknown} value
 * @param {string} place
 * @returns {{ [name: string]: any }}
 */
function objectOf(value, place) {
    if (typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Uint8Array)) return value;
    throw new FieldError(place, 'an object');
}
