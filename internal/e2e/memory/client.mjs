// Calls the SDK for TypeScript, with the base URL of the command line. Each line of standard
// input is a call, and each line of standard output is its answer.
import { createInterface } from 'node:readline';
import Anthropic, { APIError } from '@anthropic-ai/sdk';

const baseURL = process.argv[2];

// find returns a method of a client and what it belongs to.
function find(client, path) {
  const names = path.split('.');
  const last = names.pop();
  let owner = client.beta.memoryStores;
  for (const each of names) owner = owner[each];
  return [owner, last];
}

async function call({ apiKey, method, id, params }) {
  const client = new Anthropic({ baseURL, apiKey, authToken: null });
  const [owner, last] = find(client, method);
  const args = id === '' ? [params] : [id, params];
  if (last === 'all') {
    const items = [];
    for await (const item of owner.list(...args)) items.push(item);
    return items;
  }
  const got = await owner[last](...args);
  return last === 'list' ? { data: got.data, next_page: got.next_page } : got;
}

for await (const line of createInterface({ input: process.stdin })) {
  let answer;
  try {
    answer = { result: await call(JSON.parse(line)) };
  } catch (error) {
    answer = { fault: { class: error.constructor.name, message: String(error.message) } };
    if (error instanceof APIError) {
      Object.assign(answer.fault, { status: error.status ?? 0, type: error.type ?? '', body: error.error, request: error.requestID ?? '' });
    }
  }
  process.stdout.write(JSON.stringify(answer) + '\n');
}
