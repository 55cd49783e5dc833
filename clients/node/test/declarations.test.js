import assert from 'node:assert/strict';
import { readFile, readdir } from 'node:fs/promises';
import { describe, test } from 'node:test';

import * as messages from '../src/messages.js';
import * as client from '../src/index.js';
import { VERSION } from '../src/version.js';

const here = (path) => new URL(path, import.meta.url);
const camel = (name) => name.replace(/_([a-z0-9])/g, (_, letter) => letter.toUpperCase());

/** The messages of the .proto files: name with those around it → members in order. */
async function protoMessages() {
    const found = new Map();
    const folder = here('../../../proto/assay/v1/');
    for (const file of await readdir(folder)) {
        const scope = [];
        for (const line of (await readFile(new URL(file, folder), 'utf8')).replace(/\/\/.*$/gm, '').split('\n')) {
            const opened = /^\s*(message|enum|oneof|service|rpc)\s+(\w+).*\{/.exec(line);
            const closes = /\}\s*$/.test(line);
            if (opened && !closes) scope.push(opened[1] === 'message' ? opened[2] : '');
            if (opened?.[1] === 'message') found.set([...scope, ...(closes ? [opened[2]] : [])].filter(Boolean).join('.'), []);
            const member = /^\s*(?:repeated\s+)?[\w.]+(?:<.*>)?\s+(\w+)\s*=\s*\d+/.exec(line);
            if (member && !opened) found.get(scope.filter(Boolean).join('.'))?.push(camel(member[1]));
            if (closes && !opened) scope.pop();
        }
    }
    return found;
}

/** All messages that the exported ones consist of. */
function allMessages() {
    const found = new Map();
    const visit = (type) => {
        if (type?.element) visit(type.element);
        if (!type?.members || found.has(type.name)) return;
        found.set(type.name, Object.keys(type.members));
        Object.values(type.members).forEach(visit);
    };
    Object.values(messages).forEach(visit);
    return found;
}

describe('Declarations', () => {
    test('messages have the members of the .proto files', async () => {
        const proto = await protoMessages();
        for (const [name, members] of allMessages()) {
            const keyed = name.endsWith('Request') ? (proto.get(name) ?? []).filter((member) => member !== 'idempotencyKey') : proto.get(name);
            assert.deepEqual([...members].sort(), [...(keyed ?? [`${name} is missing`])].sort(), name);
        }
        assert.ok(allMessages().size > 50);
    });

    test('types have the members of the messages', async () => {
        const text = await readFile(here('../types/answers.d.ts'), 'utf8') + (await readFile(here('../types/requests.d.ts'), 'utf8'));
        const own = { Verdict: ['accepted'], ProvisionDeviceResponse: ['provisioned'] };
        for (const [name, members] of allMessages()) {
            const body = new RegExp(`export interface ${name.replace('.', '')} (?:extends Answer )?\\{\n([^]*?)^\\}`, 'm').exec(text);
            const declared = [...(body?.[1] ?? '').matchAll(/^ {4}(\w+)\??:/gm)].map((match) => match[1]);
            assert.deepEqual(declared.sort(), [...members, ...(own[name] ?? [])].sort(), name);
        }
    });

    test('the package is what its metadata say', async () => {
        const metadata = JSON.parse(await readFile(here('../package.json'), 'utf8'));
        assert.equal(metadata.version, VERSION);
        assert.equal(metadata.dependencies, undefined);
        const { AssayClient, AssayError, Evidence } = await import(metadata.name);
        assert.deepEqual({ AssayClient, AssayError, Evidence }, { ...client });
    });
});
