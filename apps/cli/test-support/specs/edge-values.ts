/** Scalars at the edges of what the API accepts, mixed with usual ones. */
import fc from 'fast-check';
import type { Json } from './json.ts';

/** `usual`, or one time in `every` an unusual value. */
export function mostly<T>(usual: fc.Arbitrary<T>, unusual: fc.Arbitrary<T>, every = 12): fc.Arbitrary<T> {
  return fc.oneof({ weight: every - 1, arbitrary: usual }, { weight: 1, arbitrary: unusual });
}

/** Undefined `absent` times for each time that there is a value. */
export function rarely<T>(value: fc.Arbitrary<T>, absent = 5): fc.Arbitrary<T | undefined> {
  return fc.oneof({ weight: absent, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: value });
}

/** An object of the fields that are there. */
export function fieldsOf(fields: Readonly<Record<string, fc.Arbitrary<Json | undefined>>>): fc.Arbitrary<Json> {
  return fc.record(fields).map((all) => {
    const present = Object.entries(all).filter((each): each is [string, Json] => each[1] !== undefined);
    return Object.fromEntries(present);
  });
}

const LABEL_63 = 'abcdefghij'.repeat(6) + 'abc';
const NAME_253 = [LABEL_63, LABEL_63, LABEL_63, 'a'.repeat(61)].join('.');

const EDGE_NAMES = [
  ...['', 'a', '0', 'A', 'Upper', '-a', 'a-', 'a.b', 'a_b', 'a b', 'zürich', '训练', '1st', 'x/y', '$(HOME)', 'a\nb'],
  ...[LABEL_63, `${LABEL_63}d`, NAME_253, `${NAME_253}a`],
];

export const edgeName = fc.constantFrom(...EDGE_NAMES);

/** A name of an object, a container, a volume. */
export const name = mostly(fc.constantFrom('main', 'data', 'team-a', 'cache-1'), edgeName);

const EDGE_TEXTS = [
  '',
  ' ',
  'true',
  '1',
  '-1',
  '1e3',
  'null',
  '{}',
  '%s',
  '$(X)',
  '$$(X)',
  'a\tb',
  '日本語',
  '😀',
  'x'.repeat(5000),
];

export const text = mostly(fc.constantFrom('train', 'python train.py', '/data', 'a'), fc.constantFrom(...EDGE_TEXTS));

const EDGE_QUANTITIES: readonly Json[] = [
  ...['0', '-1', '1m', '0.5', '.5', '5.', '1e3', '1E3', '1Ki', '1K', '100n', '9999999999Ti', '1.5Gi', '+1', '0m', '1u'],
  ...['', '1 Gi', '1GB', 'abc', '1e', '0x10', '１'],
  ...[0, 1, -1, 1.5, 2_147_483_648],
];

export const quantity: fc.Arbitrary<Json> = mostly(
  fc.constantFrom<Json[]>('1', '500m', '2Gi', 1, '128Mi'),
  fc.constantFrom(...EDGE_QUANTITIES),
  8,
);

export const resourceName = mostly(
  fc.constantFrom('cpu', 'memory', 'nvidia.com/gpu', 'ephemeral-storage'),
  fc.constantFrom('', 'gpu', 'nvidia.com/', 'requests.cpu', 'hugepages-2Mi', 'Example.com/X', 'a/b/c'),
  15,
);

export const labelKey = mostly(
  fc.constantFrom('team', 'app.kubernetes.io/name', 'example.com/x', 'kueue.x-k8s.io/queue-name'),
  fc.constantFrom('', 'a/b/c', '-x', '/x', 'training.kubeflow.org/job-name', 'ray.io/cluster', 'x'.repeat(64), 'ü'),
);

export const labelValue = mostly(
  fc.constantFrom('vision', 'a.b_c-d', '', 'X1'),
  fc.constantFrom('a b', '-a', LABEL_63, `${LABEL_63}d`, 'zürich', 'a/b'),
);

export const labels: fc.Arbitrary<Json> = fc.dictionary(labelKey, labelValue, { maxKeys: 3 });

/** Small numbers within the bounds, their edges, and rarely one outside. */
export function numberWithin(least: number, most: number): fc.Arbitrary<Json> {
  const usual = [0, 1, 2, 3, 5, 30, 60, 600].filter((each) => each >= least && each <= most);
  const atEdges = [least, least + 1, most, most - 1].filter((each) => Number.isSafeInteger(each));
  const outside = [least - 1, most + 1, -1, 1.5, 2_147_483_648, Number.MAX_SAFE_INTEGER, 1e21];
  const inside =
    usual.length > 0 ? mostly(fc.constantFrom(...usual), fc.constantFrom(...atEdges), 10) : fc.constantFrom(...atEdges);
  return mostly(inside, fc.constantFrom(...outside), 40);
}
