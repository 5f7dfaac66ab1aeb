#!/usr/bin/env node
// The way into the command, in plain JavaScript because it may be started by a Node that cannot run the rest: the
// sources are TypeScript, run as they are, which takes Node 24. `npm ci` installs one beside them.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import module from 'node:module';

const NEEDED = 24;
// The first releases that have it are of Node 22.
module.enableCompileCache?.();
const END_WITH_PARENT = new URL('end-with-parent.js', import.meta.url).href;

// npm and npx start commands through a shell, and a signal that they hand on ends that shell alone. A command that a
// shell has left behind by itself (`nohup muster … &`) goes on.
if (process.env.npm_lifecycle_script?.includes('muster')) await import(END_WITH_PARENT);

if (Number.parseInt(process.versions.node, 10) >= NEEDED) {
  const { main } = await import('../src/main.ts');
  await main(process.argv.slice(2));
} else {
  const node = ownNode();
  if (node === undefined) {
    console.error(`muster needs Node ${NEEDED} or newer, and this is ${process.version}: run \`npm ci\` in the clone.`);
    process.exit(1);
  }
  const child = spawn(
    node,
    ['--import', END_WITH_PARENT, process.argv[1] ?? import.meta.filename, ...process.argv.slice(2)],
    {
      stdio: 'inherit',
    },
  );
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => {
      // At Ctrl-C a terminal tells both processes, and a second signal would end the child before it has tidied up.
      if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal);
    });
  }
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

/** The Node that the workspace depends on. */
function ownNode() {
  const require = module.createRequire(import.meta.url);
  const folder = require.resolve.paths('node').find((path) => existsSync(`${path}/node/bin/node`));
  return folder === undefined ? undefined : `${folder}/node/bin/node`;
}
