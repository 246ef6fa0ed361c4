// A session of @modelcontextprotocol/client, which speaks both eras of the protocol.
// mode says which: legacy, auto, or a version.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { ask, connect, input, options, print, terminate } from './session.mjs';

const mode = /^\d/.test(input.mode) ? { pin: input.mode } : input.mode;
const client = new Client({ name: 'client-v2', version: '1' }, { versionNegotiation: { mode } });
const transport = input.url
  ? new StreamableHTTPClientTransport(new URL(input.url), options)
  : new StdioClientTransport({ command: input.command[0], args: input.command.slice(1) });
await connect(client, transport);
const answers = await ask(client);
const version = client.getNegotiatedProtocolVersion() ?? '';
if (input.url && mode === 'legacy') await terminate(transport);
await client.close();
await print(version, answers);
