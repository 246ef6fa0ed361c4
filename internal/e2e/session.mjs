// The session scripts share this file. The file that is named on the command line says
// which server to use and what to ask. The answers go to standard output.
import { readFileSync } from 'node:fs';

export const input = JSON.parse(readFileSync(process.argv[2], 'utf8'));

// options are those of an HTTP transport.
export const options = input.key ? { requestInit: { headers: { Authorization: `Bearer ${input.key}` } } } : undefined;

const blocks = {
  'tools/list': async (client) => {
    const { tools } = await client.listTools();
    return { blocks: tools.map((tool) => tool.name), agentID: tools.some((tool) => 'agent_id' in tool.inputSchema.properties) };
  },
  'tools/call': async (client, params) => {
    const result = await client.callTool(params);
    return { blocks: result.content.map((block) => block.text), isError: result.isError ?? false };
  },
  'resources/templates/list': async (client) => ({
    blocks: (await client.listResourceTemplates()).resourceTemplates.map((template) => template.uriTemplate),
  }),
  'resources/read': async (client, params) => ({
    blocks: (await client.readResource(params)).contents.map((content) => content.text),
  }),
  'completion/complete': async (client, params) => ({ blocks: (await client.complete(params)).completion.values }),
  'e2e/pause': async (client, params) => {
    await (await fetch(params.url)).text();
    return {};
  },
};

// connect prints the error and ends the process if the server refuses the client.
export async function connect(client, transport) {
  try {
    await client.connect(transport);
  } catch (error) {
    process.stdout.write(JSON.stringify({ refused: String(error.message) }), () => process.exit());
    await new Promise(() => {});
  }
}

// terminate ends an HTTP session. The server may refuse that if it wants a key.
export async function terminate(transport) {
  await transport.terminateSession().catch((error) => {
    if (!input.key) throw error;
  });
}

export async function ask(client) {
  const answers = [];
  for (const { method, params } of input.requests) {
    try {
      answers.push(await blocks[method](client, params));
    } catch (error) {
      answers.push({ error: String(error.message), code: Number.isInteger(error.code) ? error.code : 0 });
    }
  }
  return answers;
}

// print resolves when a pipe has taken everything.
export function print(version, answers) {
  return new Promise((resolve) => process.stdout.write(JSON.stringify({ version, answers }), resolve));
}
