/** @param args of an operator's container */
export function isInShadow(args: readonly string[]): boolean {
  return args.some((arg) => arg === '--shadow' || arg === '--shadow=true');
}
