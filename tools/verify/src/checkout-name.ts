/** A short name, unique to this checkout, so that two checkouts can run tests at the same time and each removes only its own clusters. */
import { createHash } from 'node:crypto';

export function checkoutName(prefix: string): string {
  return `${prefix}-${createHash('sha256')
    .update(import.meta.dirname)
    .digest('hex')
    .slice(0, 6)}`;
}
