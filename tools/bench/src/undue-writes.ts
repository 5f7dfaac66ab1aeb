/** Which writes are more than was due. */

/** @param due the most of each that what has happened can ask for, by verb, resource and subresource; of all else there may be none */
export function undueWrites(
  writes: Readonly<Record<string, number>>,
  due: Readonly<Record<string, number>>,
): Record<string, number> {
  return Object.fromEntries(
    Object.entries(writes)
      .map(([key, count]) => [key, count - (due[key] ?? 0)] as const)
      .filter(([, count]) => count > 0),
  );
}
