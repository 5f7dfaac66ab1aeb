/** A short name that is this checkout's own, so that two checkouts test side by side and one cleans up after itself. */
import { createHash } from 'node:crypto';

export function checkoutName(prefix: string): string {
  return `${prefix}-${createHash('sha256')
    .update(import.meta.dirname)
    .digest('hex')
    .slice(0, 6)}`;
}
