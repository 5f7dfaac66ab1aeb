/** Many manifests of one kind, each by its number and the seed: a failure can be repeated alone. */
import fc from 'fast-check';
import { judge, OUTCOMES, surroundings, type Fault, type Outcome } from './judge.ts';
import type { JsonObject } from './json.ts';
import { manifestArbitrary, type Source } from './manifest-arbitrary.ts';
import { smallest } from './smallest.ts';
import type { SpecKind } from './spec-kind.ts';

export interface Failure {
  readonly kind: string;
  readonly source: Source;
  readonly seed: number;
  readonly number: number;
  readonly fault: Fault;
  readonly detail: string;
  /** The smallest manifest that fails like it. */
  readonly manifest: JsonObject;
  /** The command that repeats it. */
  readonly command: string;
}

export interface Result {
  readonly kind: string;
  readonly source: Source;
  readonly seed: number;
  readonly count: number;
  readonly outcomes: Readonly<Record<Outcome, number>>;
  /** Jobs of which the API server refused an object, and that report it. */
  readonly withRefusedObjects: number;
  /** The number of failures of each fault. */
  readonly faults: Readonly<Partial<Record<Fault, number>>>;
  /** The first failure of each fault and cause. */
  readonly failures: readonly Failure[];
  readonly seconds: number;
}

export interface Series {
  readonly seed: number;
  readonly count: number;
  /** Number of the first manifest. Default: 0. */
  readonly first?: number;
}

/** Building one takes as long as generating many manifests. */
const ARBITRARIES = new Map<string, fc.Arbitrary<JsonObject>>();

function arbitraryOf(kind: SpecKind, source: Source): fc.Arbitrary<JsonObject> {
  const key = `${kind.name} ${source}`;
  const arbitrary = ARBITRARIES.get(key) ?? manifestArbitrary(kind, source);
  ARBITRARIES.set(key, arbitrary);
  return arbitrary;
}

/** The same manifest for the same arguments. */
export function manifestOf(kind: SpecKind, source: Source, seed: number, number: number): JsonObject {
  // Numbers close to one another must not give manifests that are alike.
  const own = Math.imul(seed, 0x9e_37_79_b1) ^ Math.imul(number + 1, 0x85_eb_ca_6b);
  const [manifest = {}] = fc.sample(arbitraryOf(kind, source), { seed: own, numRuns: 1 });
  return manifest;
}

export function runCampaign(kind: SpecKind, source: Source, { seed, count, first = 0 }: Series): Result {
  const startMs = performance.now();
  const outcomes = Object.fromEntries(OUTCOMES.map((outcome) => [outcome, 0])) as Record<Outcome, number>;
  const faults: Partial<Record<Fault, number>> = {};
  const failures = new Map<string, Failure>();
  let withRefusedObjects = 0;
  for (let number = first; number < first + count; number++) {
    const manifest = manifestOf(kind, source, seed, number);
    const around = surroundings(number);
    const judgement = judge(kind, manifest, around);
    if ('outcome' in judgement) {
      outcomes[judgement.outcome]++;
      if (judgement.refusedObjects > 0) withRefusedObjects++;
      continue;
    }
    const { fault, detail } = judgement;
    faults[fault] = (faults[fault] ?? 0) + 1;
    const cause = causeOf(fault, detail);
    if (failures.has(cause)) continue;
    const isSame = (smaller: JsonObject) => {
      const other = judge(kind, smaller, around);
      return 'fault' in other && causeOf(other.fault, other.detail) === cause;
    };
    const command = `npm run specs -- --kind ${kind.name} --source ${source} --seed ${seed} --only ${number}`;
    failures.set(cause, {
      ...{ kind: kind.name, source, seed, number, fault, detail, command },
      manifest: smallest(manifest, isSame),
    });
  }
  const seconds = Math.round((performance.now() - startMs) / 100) / 10;
  return {
    kind: kind.name,
    source,
    seed,
    count,
    outcomes,
    withRefusedObjects,
    faults,
    failures: [...failures.values()],
    seconds,
  };
}

/** Failures with one cause differ in names and numbers only. */
function causeOf(fault: Fault, detail: string): string {
  const [first = '', second = ''] = detail.split('\n');
  const text = `${first} ${second.trim()}`
    .replaceAll(/"(?:[^"\\]|\\.)*"/g, '"…"')
    .replaceAll(/\d+/g, '0')
    .replaceAll(/\[[^\]]*\]/g, '[…]');
  return `${fault}: ${text.slice(0, 120)}`;
}
