/**
 * Loaded into an operator before its own code (`node --import`): shifts its wall clock by the milliseconds in the file of the environment
 * variable `CAMPAIGN_CLOCK`, like an administrator or NTP that sets the machine's clock. Timers and `performance.now()` continue, as they do
 * then. The file is read again all the time, so that the clock jumps while the operator runs.
 */
import { readFileSync } from 'node:fs';

const READ_EVERY_MS = 50;

const file = process.env['CAMPAIGN_CLOCK'] ?? '';
const machineNow = Date.now;
let shiftMs = readShift();
setInterval(() => (shiftMs = readShift()), READ_EVERY_MS).unref();

Date.now = () => machineNow() + shiftMs;
globalThis.Date = new Proxy(Date, {
  construct: (target, args, newTarget) =>
    Reflect.construct(target, args.length === 0 ? [target.now()] : args, newTarget) as Date,
  apply: (target) => new target(target.now()).toString(),
});
Date.prototype.constructor = Date;

/** 0 while there is no such file. A file that is being written is read the next time. */
function readShift(): number {
  try {
    return Number(readFileSync(file, 'utf8'));
  } catch {
    return 0;
  }
}
