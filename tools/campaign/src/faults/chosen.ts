/** The item at this share of the list. @param pick from 0 up to 1, exclusive */
export function chosen<T>(items: readonly T[], pick: number): T | undefined {
  return items[Math.floor(pick * items.length)];
}
