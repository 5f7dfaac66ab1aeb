#!/usr/bin/env node
// The way into the command, in plain JavaScript because it may be started by a Node that cannot run the rest: the
// sources are TypeScript, run as they are, which takes Node 24. `npm ci` installs one beside them.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';

const NEEDED = 24;

if (Number.parseInt(process.versions.node, 10) >= NEEDED) {
  const { main } = await import('../src/main.ts');
  await main(process.argv.slice(2));
} else {
  const node = ownNode();
  if (node === undefined) {
    console.error(`muster needs Node ${NEEDED} or newer, and this is ${process.version}: run \`npm ci\` in the clone.`);
    process.exit(1);
  }
  const child = spawn(node, [import.meta.filename, ...process.argv.slice(2)], { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

/** The Node that the workspace depends on. */
function ownNode() {
  const require = createRequire(import.meta.url);
  const folder = require.resolve.paths('node').find((path) => existsSync(`${path}/node/bin/node`));
  return folder === undefined ? undefined : `${folder}/node/bin/node`;
}
