/** The differences of two objects by leaf. */

/** Items of lists with one of these fields are compared by it, whatever their order. */
const KEYS = ['mountPath', 'name', 'containerPort', 'port'];

/** By path: `spec.containers.train.env.RANK.value`. */
type Leaves = ReadonlyMap<string, string>;

/** `path: one | other`, `-` if missing. */
export function differences(one: unknown, other: unknown): string[] {
  const [left, right] = [leavesOf(one), leavesOf(other)];
  const paths = [...new Set([...left.keys(), ...right.keys()])].toSorted();
  return paths
    .filter((path) => left.get(path) !== right.get(path))
    .map((path) => `${path}: ${left.get(path) ?? '-'} | ${right.get(path) ?? '-'}`);
}

function leavesOf(value: unknown, path = ''): Leaves {
  if (typeof value !== 'object' || value === null) return new Map([[path, JSON.stringify(value)]]);
  const entries = Array.isArray(value)
    ? value.map((item, at) => [keyOf(item, at), item] as const)
    : Object.entries(value);
  const leaves = entries
    .filter(([, item]) => item !== undefined)
    .flatMap(([key, item]) => [...leavesOf(item, path === '' ? key : `${path}.${key}`)]);
  return new Map(leaves.length === 0 ? [[path, Array.isArray(value) ? '[]' : '{}']] : leaves);
}

function keyOf(item: unknown, at: number): string {
  if (typeof item !== 'object' || item === null) return String(at);
  const key = KEYS.find((each) => each in item);
  return key === undefined ? String(at) : String((item as Record<string, unknown>)[key]);
}
