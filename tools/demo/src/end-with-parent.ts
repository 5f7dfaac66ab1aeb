/**
 * Loaded into a child process before its program (`node --import`): asks it to end when the process that started it has
 * ended in whatever way. That one holds the other end of standard input, and the system closes it on its death; so it
 * works on every system, after SIGKILL too.
 */
const end = () => void process.kill(process.pid, 'SIGTERM');

process.stdin.once('close', end).once('error', end).resume();
// It must not be what keeps the program alive.
process.stdin.unref();
