/** The pause after the first try; each later one is twice as long. */
const BASE_MS = 1000;
/** The longest pause. */
const CAP_MS = 30_000;
/** A fifth in either direction, so that clients that failed together do not try again together. */
const JITTER = 0.2;

/**
 * The clock and the random numbers of a client, which tests replace.
 *
 * @typedef {object} Time
 * @property {() => number} now milliseconds since some instant in the past; never goes back
 * @property {(ms: number, signal?: AbortSignal) => Promise<void>} sleep rejects if the signal is aborted
 * @property {() => number} chance from 0 to 1
 */

/**
 * The pause after a try, in milliseconds.
 *
 * @param {number} attempt counted from 1
 * @param {number | undefined} leastMs when the daemon said that trying again may help: it is never tried earlier
 * @param {number} chance from 0 to 1
 */
export function pauseAfter(attempt, leastMs, chance) {
    const pause = Math.min(BASE_MS * 2 ** (attempt - 1), CAP_MS) * (1 + JITTER * (2 * chance - 1));
    return leastMs === undefined ? pause : Math.max(pause, leastMs * (1 + JITTER * chance));
}
