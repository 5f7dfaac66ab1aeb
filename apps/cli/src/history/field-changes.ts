/** Which fields of an object differ, such as `spec.runPolicy.suspend: false -> true`. */

const MOST = 4;

const LONGEST = 60;

export function fieldChanges(path: string, before: unknown, now: unknown): string[] {
  const found = [...changes(path, before, now)];
  const shown = found.slice(0, MOST);
  return found.length > MOST ? [...shown, `${found.length - MOST} more fields`] : shown;
}

function* changes(path: string, before: unknown, now: unknown): Generator<string> {
  if (before === now) return;
  if (isNested(before) && isNested(now) && Array.isArray(before) === Array.isArray(now)) {
    for (const key of new Set([...Object.keys(before), ...Object.keys(now)])) {
      const at = Array.isArray(now) ? `${path}[${nameIn(now, before, key)}]` : `${path}.${key}`;
      yield* changes(at, Reflect.get(before, key), Reflect.get(now, key));
    }
    return;
  }
  if (JSON.stringify(before) === JSON.stringify(now)) return;
  yield `${path}: ${short(before)} -> ${short(now)}`;
}

/** Elements of lists such as `env` are identified by name. */
function nameIn(now: object, before: object, key: string): string {
  const { name } = Object(Reflect.get(now, key) ?? Reflect.get(before, key)) as { name?: unknown };
  return typeof name === 'string' ? name : key;
}

function isNested(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function short(value: unknown): string {
  if (value === undefined) return 'unset';
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text;
}
