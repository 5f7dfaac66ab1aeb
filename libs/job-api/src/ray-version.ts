/** Conditions on `spec.rayVersion`, for features of later releases of Ray. */

/** Pattern of the versions from 2.`minor` on: `2.52.0`, `v2.52`, `3.0.0.dev0`. For CEL and JavaScript. */
function fromRayVersion(minor: number): string {
  return `^v?(2[.](${fromNumber(minor)})|[3-9]|[1-9][0-9]+)([^0-9].*)?$`;
}

/** Pattern of the integers of at most two digits from `least` on, and of all longer ones. */
function fromNumber(least: number): string {
  const tens = Math.floor(least / 10);
  const ones = least % 10;
  if (tens === 0) return `[${ones}-9]|[1-9][0-9]+`;
  return [`${tens}[${ones}-9]`, tens < 9 && `[${tens + 1}-9][0-9]`, '[1-9][0-9]{2,}'].filter(Boolean).join('|');
}

/** CEL expression: the spec sets a version from 2.`minor` on. */
export function isFromRayVersionCel(spec: string, minor: number): string {
  return `(has(${spec}.rayVersion) && ${spec}.rayVersion.matches('${fromRayVersion(minor)}'))`;
}

/** The same in TypeScript. */
export function isFromRayVersion({ rayVersion = '' }: { readonly rayVersion?: string }, minor: number): boolean {
  return new RegExp(fromRayVersion(minor)).test(rayVersion);
}
