#!/usr/bin/env node
// The entry point, in plain JavaScript, because an older Node may start it. The sources are TypeScript without a build, which
// needs Node 24; `npm ci` installs that.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import module from 'node:module';

const NEEDED = 24;
// Available since Node 22.
module.enableCompileCache?.();
const END_WITH_PARENT = new URL('end-with-parent.js', import.meta.url).href;

// npm and npx start commands through a shell, and a signal that they forward ends only that shell. A command in the background
// of another shell (`nohup muster … &`) continues.
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
      // At Ctrl-C, a terminal signals both processes. A second signal would end the child before it has cleaned up.
      if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal);
    });
  }
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

/** The Node that the workspace installs. */
function ownNode() {
  const require = module.createRequire(import.meta.url);
  const folder = require.resolve.paths('node').find((path) => existsSync(`${path}/node/bin/node`));
  return folder === undefined ? undefined : `${folder}/node/bin/node`;
}
