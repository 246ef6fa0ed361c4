// Prints how a client starts the server of a bundle, as MCPB's own library says:
//   node bundle.mjs FOLDER SETTINGS
import { readFileSync } from "node:fs";
import { getMcpConfigForManifest } from "@anthropic-ai/mcpb";

const [folder, settings] = process.argv.slice(2);
const config = await getMcpConfigForManifest({
  manifest: JSON.parse(readFileSync(`${folder}/manifest.json`)),
  extensionPath: folder,
  systemDirs: {},
  userConfig: JSON.parse(settings),
  pathSeparator: "/",
});
console.log(JSON.stringify(config));
