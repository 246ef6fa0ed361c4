// Runs commands on the memory tool of @anthropic-ai/sdk, in the folder that is named on the
// command line. Each line of standard input is a command, and each line of standard output
// is its answer.
import { createInterface } from 'node:readline';
import { BetaLocalFilesystemMemoryTool, betaMemoryTool } from '@anthropic-ai/sdk/tools/memory/node';

const tool = betaMemoryTool(await BetaLocalFilesystemMemoryTool.init(process.argv[2]));
for await (const line of createInterface({ input: process.stdin })) {
  let answer;
  try {
    answer = { text: await tool.run(tool.parse(JSON.parse(line))) };
  } catch (error) {
    answer = { text: String(error.message), code: error.code ?? '', isError: true };
  }
  process.stdout.write(JSON.stringify(answer) + '\n');
}
