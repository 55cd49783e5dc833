export { AssayClient } from './client.js';
export { AssayError } from './errors.js';
export { Evidence } from './evidence.js';
