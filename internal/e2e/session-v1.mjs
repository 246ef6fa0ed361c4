// A session of @modelcontextprotocol/sdk, which speaks the protocol with a handshake.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ask, connect, input, options, print, terminate } from './session.mjs';

const client = new Client({ name: 'sdk-v1', version: '1' });
const transport = input.url
  ? new StreamableHTTPClientTransport(new URL(input.url), options)
  : new StdioClientTransport({ command: input.command[0], args: input.command.slice(1) });
await connect(client, transport);
const answers = await ask(client);
const version = transport.protocolVersion ?? '';
if (input.url) await terminate(transport);
await client.close();
await print(version, answers);
