import { arch } from 'node:os';

/** Of this machine, as images name it: `linux/amd64`. */
export function ownPlatform(): string {
  return `linux/${arch() === 'x64' ? 'amd64' : arch()}`;
}
