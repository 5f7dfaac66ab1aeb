/** Kubernetes' MicroTime: RFC 3339 with exactly six decimals. */
export function microTime(epochMs: number): string {
  return new Date(epochMs).toISOString().replace('Z', '000Z');
}
