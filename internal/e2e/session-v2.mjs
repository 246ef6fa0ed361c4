// A session of @modelcontextprotocol/client, which speaks both eras of the protocol.
// mode says which: legacy, auto, or a version.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { ask, input, print } from './session.mjs';

const mode = /^\d/.test(input.mode) ? { pin: input.mode } : input.mode;
const client = new Client({ name: 'client-v2', version: '1' }, { versionNegotiation: { mode } });
const transport = input.url
  ? new StreamableHTTPClientTransport(new URL(input.url))
  : new StdioClientTransport({ command: input.command[0], args: input.command.slice(1) });
await client.connect(transport);
const answers = await ask(client);
const version = client.getNegotiatedProtocolVersion() ?? '';
if (input.url && mode === 'legacy') await transport.terminateSession();
await client.close();
await print(version, answers);
