export { cacheFolder } from '../../cluster/src/cache-folders.ts';
export { withLock } from '../../cluster/src/folder-lock.ts';
export { silentProgress, terminalProgress, type Progress } from '../../cluster/src/progress.ts';
export { lastLines, runCommand } from '../../cluster/src/run-command.ts';
