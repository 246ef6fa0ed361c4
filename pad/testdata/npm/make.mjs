// Writes the files beside it with the npm package agent-scratchpad, as its
// README's file adapter does, and reads what Go wrote:
//
//	npm install agent-scratchpad@0.1.2       # in some scratch folder
//	node make.mjs <folder>                   # writes *.json here
//	node make.mjs <folder> FILE              # prints FILE as the package reads it
import { createRequire } from 'node:module';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import path from 'node:path';

const [folder, file] = process.argv.slice(2);
const { createScratchpad } = createRequire(path.resolve(folder) + '/')('agent-scratchpad');
const here = path.dirname(fileURLToPath(import.meta.url));
let now = 1767323045000;

if (file) {
  const pad = createScratchpad({ now: () => now, persistence: { load: async () => JSON.parse(readFileSync(file, 'utf8')), save: async () => {} } });
  await pad.load();
  const list = pad.entries().map(([key, e]) => [key, pad.get(key), e.createdAt, e.updatedAt, e.accessedAt, e.ttl, e.slidingTtl, e.tags]);
  console.log(JSON.stringify(list));
  process.exit(0);
}

const write = (name, pad, space) => writeFileSync(path.join(here, name), JSON.stringify(pad.snapshot(), null, space));
const make = (options) => createScratchpad({ now: () => now, ...options });

write('empty.json', make());

let pad = make({ defaultTtl: 60_000 });
pad.set('step', 'analyze');
pad.set('user', { id: 42, name: 'Alice', tags: [] }, { tags: ['entity', 'user'] });
now += 1500;
pad.set('session', { token: 'abc123' }, { ttl: 30_000, slidingTtl: true });
now += 1;
pad.get('session');
pad.set('step', 'act', { ttl: null });
pad.namespace('agent1').namespace('sub').set('plan', ['a', 'b']);
write('pad.json', pad, 2);

pad = make();
for (const [key, value] of Object.entries({
  text: 'line\n"quoted" <b>&amp; \u2028 \u{1f600} \\ \u0000', nul: null, yes: true, zero: 0, minus: -1.5, big: 2 ** 53, huge: 1e300,
  tiny: 5e-324, list: [1, [2, { x: null }]], nothing: {}, '': 'dropped below', 'a:b:': 1, 'héllo wörld': 'é', ':': ':',
})) if (key) pad.set(key, value);
write('values.json', pad);

pad = make();
pad.set('third', 1, { ttl: 1000 / 3 });
pad.set('at once', 1, { ttl: 0 });
pad.set('gone', 1, { ttl: 10 });
now += 20;
pad.set('here', 1, { ttl: 10 });
write('ttl.json', pad); // the package's snapshot has what expired, too

pad = make();
pad.set('before', 1);
pad.set('missing', undefined); // the package's snapshot has no value for it
pad.set('function', () => 1);
pad.set('after', 2);
write('undefined.json', pad);
