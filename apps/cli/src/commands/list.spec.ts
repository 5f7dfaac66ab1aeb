import { describe, expect, it } from 'vitest';
import { kindOf } from '../kinds.ts';
import { jobView } from '../jobs/job-view.ts';
import { rendered } from './list.ts';

const NOW = Date.parse('2026-01-01T00:10:00Z');
const pytorch = {
  ...{ apiVersion: 'kubeflow.org/v1', kind: 'PyTorchJob' },
  metadata: { name: 'mnist', namespace: 'team', creationTimestamp: '2026-01-01T00:00:00Z' },
  spec: { runPolicy: { schedulingPolicy: { queue: 'gpus' } } },
  status: {
    state: 'Running',
    ready: '3/3',
    restartCount: 1,
    conditions: [{ type: 'Running', status: 'True', message: 'it runs' }],
  },
};
const ray = { apiVersion: 'ray.io/v1', kind: 'RayJob', metadata: { name: 'tune', namespace: 'lab' } };
const views = [pytorch, ray].map((manifest) => {
  const kind = kindOf(manifest);
  if (kind === undefined) throw new Error(`no kind ${manifest.kind}`);
  return jobView(kind, manifest);
});

describe('a list of jobs', () => {
  it('is a table of all kinds', () => {
    expect(rendered(views, { output: 'table' }, NOW)).toBe(
      [
        'NAME   KIND        STATE    READY  RESTARTS  AGE',
        'mnist  PyTorchJob  Running  3/3    1         10m',
        'tune   RayJob      -        -      -         -',
        '',
      ].join('\n'),
    );
  });

  it('shows namespaces, queues and last messages with -A and -o wide', () => {
    expect(rendered(views.slice(0, 1), { output: 'wide', allNamespaces: true }, NOW)).toBe(
      [
        'NAMESPACE  NAME   KIND        STATE    READY  RESTARTS  AGE  QUEUE  MESSAGE',
        'team       mnist  PyTorchJob  Running  3/3    1         10m  gpus   it runs',
        '',
      ].join('\n'),
    );
  });

  it('has output formats for scripts, also when it is empty', () => {
    expect(rendered(views, { output: 'name' }, NOW)).toBe('pytorchjob.kubeflow.org/mnist\nrayjob.ray.io/tune\n');
    expect(JSON.parse(rendered([], { output: 'json' }, NOW))).toEqual({ apiVersion: 'v1', kind: 'List', items: [] });
    expect(rendered(views, { output: 'yaml' }, NOW)).toContain(
      'apiVersion: v1\nkind: List\nitems:\n  - apiVersion: kubeflow.org/v1\n',
    );
    expect(rendered([], { output: 'table' }, NOW)).toBe('');
  });
});
