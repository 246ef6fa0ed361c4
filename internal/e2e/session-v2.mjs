// A session of @modelcontextprotocol/client, which speaks both eras of the protocol.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { ask, connect, input, options, print } from './session.mjs';

const client = new Client({ name: 'client-v2', version: '1' }, { versionNegotiation: { mode: 'auto' } });
const transport = input.url
  ? new StreamableHTTPClientTransport(new URL(input.url), options)
  : new StdioClientTransport({ command: input.command[0], args: input.command.slice(1) });
await connect(client, transport);
const answers = await ask(client);
const version = client.getNegotiatedProtocolVersion() ?? '';
await client.close();
await print(version, answers);
