/** Helm as the tests run it: built from its Go module on the first run on a machine. */
import { fileURLToPath } from 'node:url';
import { ensureBinaries, runCommand, terminalProgress } from '@muster/cluster';
import type { KubeObject } from '@muster/job-api';
import { vi } from 'vitest';
import { parseAllDocuments } from 'yaml';

/** Long enough for the first run, on which Helm is built. */
export const HELM_TIMEOUT_MS = 20 * 60_000;

// Each chart that is rendered is a program that is started, which takes seconds where the machine is busy.
vi.setConfig({ testTimeout: 180_000 });

const CHARTS = fileURLToPath(new URL('../../../charts', import.meta.url));

export type Values = Readonly<Record<string, unknown>>;

export interface RenderOptions {
  readonly release?: string;
  readonly namespace?: string;
  /** Whether the account and the role of the pod of helm test are wanted as well. */
  readonly withTestAccount?: boolean;
}

let built: Promise<string[]> | undefined;

/** What Helm says. Throws with its last words where it fails. */
export async function helm(args: readonly string[], input = ''): Promise<string> {
  built ??= ensureBinaries(['helm'], terminalProgress());
  const [program = ''] = await built;
  return (await runCommand(program, args, { input })).stdout;
}

export function chartFolder(chart: string): string {
  return `${CHARTS}/${chart}`;
}

/** Values with which a chart can be rendered. */
export const IMAGE = { repository: 'registry.example/operator' } as const;

/** The objects that the chart makes of the values, the pod of helm test included. */
export async function rendered(chart: string, values: Values, options: RenderOptions = {}): Promise<KubeObject[]> {
  const objects = objectsIn(await renderedText(chart, { image: IMAGE, ...values }, options));
  return options.withTestAccount === true ? objects : objects.filter((each) => each.kind === 'Pod' || !isOfTest(each));
}

function isOfTest({ metadata }: KubeObject): boolean {
  return metadata?.annotations?.['helm.sh/hook'] === 'test';
}

/** Exactly of these values, as text. */
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
