// The declarations in types/ are those of the implementation in src/. It is compiled, and never run.
import type * as declared from '../../types/index.js';
import * as implemented from '../../src/index.js';

type Client = Pick<declared.AssayClient, keyof declared.AssayClient>;
type Failure = Omit<declared.AssayError, 'code' | 'name'>;

export const makeClient: (options: declared.ClientOptions) => Client = (options) => new implemented.AssayClient(options);
export const asDeclared = (error: implemented.AssayError): Failure => error;
export const evidence: typeof declared.Evidence = implemented.Evidence;
