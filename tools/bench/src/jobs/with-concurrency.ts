/** Does `work` for each item, with limited concurrency. */
export async function withConcurrency<T>(
  all: readonly T[],
  atOnce: number,
  work: (each: T) => Promise<void>,
): Promise<void> {
  const left = all.values();
  const takeOn = async () => {
    for (const each of left) await work(each);
  };
  await Promise.all(Array.from({ length: atOnce }, takeOn));
}
