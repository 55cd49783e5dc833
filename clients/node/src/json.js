/** @typedef {import('../types/answers.js').JSONValue} JSONValue */

/** Objects and arrays within each other. */
const DEPTH_LIMIT = 100;
/** What has more digits is no integer of any use, and slow to read. */
const DIGIT_LIMIT = 40;

const NUMBER = /-?(?:0|[1-9][0-9]{0,399})(?:\.[0-9]{1,400})?(?:[eE][+-]?[0-9]{1,9})?/y;
const WORD = /true|false|null/y;

/**
 * Reads JSON (RFC 8259). `JSON.parse` rounds integers beyond 2^53.
 *
 * @param {string} text
 * @returns {JSONValue}
 * @throws {SyntaxError} with the place, also for JSON that is more than 100 levels deep
 */
export function parseJSON(text) {
    return new Reader(text).whole();
}

class Reader {
    /** @param {string} text */
    constructor(text) {
        this.text = text;
        this.at = 0;
    }

    whole() {
        const value = this.value(0);
        this.space();
        if (this.at < this.text.length) this.fail('text follows the value');
        return value;
    }

    /**
     * @param {number} depth of what it stands in
     * @returns {JSONValue}
     */
    value(depth) {
        this.space();
        const next = this.text[this.at];
        if (next === '{' || next === '[') {
            if (depth === DEPTH_LIMIT) this.fail(`more than ${DEPTH_LIMIT} levels`);
            this.at += 1;
            return next === '{' ? this.object(depth + 1) : this.array(depth + 1);
        }
        if (next === '"') return this.string();
        const word = this.take(WORD);
        if (word) return word === 'null' ? null : word === 'true';
        return this.number();
    }

    /** @param {number} depth */
    object(depth) {
        /** @type {{ [name: string]: JSONValue }} */
        const object = {};
        if (this.skips('}')) return object;
        do {
            this.space();
            const name = this.string();
            if (!this.skips(':')) this.fail('":" is missing');
            const value = this.value(depth);
            // Assigning to __proto__ would set the prototype.
            if (name === '__proto__') Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
            else object[name] = value;
        } while (this.skips(','));
        if (!this.skips('}')) this.fail('"}" is missing');
        return object;
    }

    /** @param {number} depth */
    array(depth) {
        /** @type {JSONValue[]} */
        const array = [];
        if (this.skips(']')) return array;
        do {
            array.push(this.value(depth));
        } while (this.skips(','));
        if (!this.skips(']')) this.fail('"]" is missing');
        return array;
    }

    /** @returns {string} */
    string() {
        if (this.text[this.at] !== '"') this.fail('a string is missing');
        let end = this.at;
        do {
            end = this.text.indexOf('"', end + 1);
            if (end < 0) this.fail('a string does not end');
        } while (this.isEscaped(end));
        const literal = this.text.slice(this.at, end + 1);
        this.at = end + 1;
        // Refuses raw control characters and unknown escapes.
        return JSON.parse(literal);
    }

    /**
     * Whether an odd number of backslashes stands before a place.
     *
     * @param {number} place
     */
    isEscaped(place) {
        let first = place;
        while (this.text[first - 1] === '\\') first -= 1;
        return (place - first) % 2 === 1;
    }

    space() {
        while (' \t\n\r'.includes(this.text[this.at] ?? 'x')) this.at += 1;
    }

    number() {
        const literal = this.take(NUMBER);
        if (!literal) this.fail('a value is missing');
        const number = Number(literal);
        if (Number.isSafeInteger(number) || /[.eE]/.test(literal) || literal.length > DIGIT_LIMIT) return number;
        return BigInt(literal);
    }

    /**
     * @param {RegExp} pattern sticky
     * @returns {string} what it matched, or nothing
     */
    take(pattern) {
        pattern.lastIndex = this.at;
        const taken = pattern.exec(this.text)?.[0] ?? '';
        this.at += taken.length;
        return taken;
    }

    /** @param {string} mark */
    skips(mark) {
        this.space();
        if (this.text[this.at] !== mark) return false;
        this.at += 1;
        return true;
    }

    /**
     * @param {string} why
     * @returns {never}
     */
    fail(why) {
        throw new SyntaxError(`${why}, at character ${this.at}`);
    }
}
