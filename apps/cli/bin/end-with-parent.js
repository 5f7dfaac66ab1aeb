/**
 * Loaded into a process before its program: asks it to stop, by SIGTERM, when the process that started it has ended in
 * whatever way. A process whose parent ends is given another one; that is seen after SIGKILL too.
 *
 * Plain JavaScript for the same reason as `muster.js`.
 */
const LOOK_EVERY_MS = 500;

const parent = process.ppid;
const looks = setInterval(() => {
  if (process.ppid === parent) return;
  clearInterval(looks);
  process.kill(process.pid, 'SIGTERM');
}, LOOK_EVERY_MS);
// It must not be what keeps the program alive.
looks.unref();
