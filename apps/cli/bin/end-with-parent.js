/**
 * Loaded into a process before its program: sends SIGTERM to the process when its parent has ended, also by SIGKILL. The parent's
 * end shows in a changed parent process ID.
 *
 * Plain JavaScript for the same reason as `muster.js`.
 */
const POLL_MS = 500;

const parent = process.ppid;
const timer = setInterval(() => {
  if (process.ppid === parent) return;
  clearInterval(timer);
  process.kill(process.pid, 'SIGTERM');
}, POLL_MS);
// The timer must not keep the program alive.
timer.unref();
