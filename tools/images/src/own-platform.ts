import { arch } from 'node:os';

/** This machine's platform in the form of image names: `linux/amd64`. */
export function ownPlatform(): string {
  return `linux/${arch() === 'x64' ? 'amd64' : arch()}`;
}
