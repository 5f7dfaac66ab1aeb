export { withLock } from '../../cluster/src/folder-lock.ts';
export { lastLines, runCommand } from '../../cluster/src/run-command.ts';
