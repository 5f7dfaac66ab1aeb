/** Helm for tests, built from its Go module on the first run. */
import { fileURLToPath } from 'node:url';
import { ensureBinaries, runCommand, terminalProgress } from '@muster/cluster';
import type { KubeObject } from '@muster/job-api';
import { vi } from 'vitest';
import { parseAllDocuments } from 'yaml';

/** Long enough to build Helm on the first run. */
export const HELM_TIMEOUT_MS = 20 * 60_000;

// Each rendering starts a process, which can take seconds.
vi.setConfig({ testTimeout: 180_000 });

const CHARTS = fileURLToPath(new URL('../../../charts', import.meta.url));

export type Values = Readonly<Record<string, unknown>>;

export interface RenderOptions {
  readonly release?: string;
  readonly namespace?: string;
  /** Include the ServiceAccount and role of the pod of helm test. */
  readonly withTestAccount?: boolean;
}

let built: Promise<string[]> | undefined;

/** Output of Helm. Throws with its error output if it fails. */
export async function helm(args: readonly string[], input = ''): Promise<string> {
  built ??= ensureBinaries(['helm'], terminalProgress());
  const [program = ''] = await built;
  return (await runCommand(program, args, { input })).stdout;
}

export function chartFolder(chart: string): string {
  return `${CHARTS}/${chart}`;
}

/** Values that every chart requires. */
export const IMAGE = { repository: 'registry.example/operator' } as const;

/** Objects that the chart renders, including the pod of helm test. */
export async function rendered(chart: string, values: Values, options: RenderOptions = {}): Promise<KubeObject[]> {
  const objects = objectsIn(await renderedText(chart, { image: IMAGE, ...values }, options));
  return options.withTestAccount === true ? objects : objects.filter((each) => each.kind === 'Pod' || !isOfTest(each));
}

function isOfTest({ metadata }: KubeObject): boolean {
  return metadata?.annotations?.['helm.sh/hook'] === 'test';
}

/** Rendered text with exactly these values. */
export function renderedText(chart: string, values: Values, options: RenderOptions = {}): Promise<string> {
  const { release = 'rel', namespace = 'muster' } = options;
  const args = ['template', release, chartFolder(chart), '--namespace', namespace, '--values', '-'];
  return helm(args, JSON.stringify(values));
}

function objectsIn(text: string): KubeObject[] {
  return parseAllDocuments(text).flatMap((document) => {
    if (document.errors[0]) throw document.errors[0];
    const object = document.toJS() as KubeObject | null;
    return object === null ? [] : [object];
  });
}
