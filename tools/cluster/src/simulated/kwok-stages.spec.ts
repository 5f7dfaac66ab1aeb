import { describe, expect, it } from 'vitest';
import { kwokConfiguration, type KwokStage } from './kwok-stages.ts';

const stages = kwokConfiguration().filter(
  (document): document is KwokStage => 'kind' in document && document.kind === 'Stage',
);
const find = (name: string) => stages.find(({ metadata }) => metadata.name === name);

describe('kwok-stages', () => {
  it('are about nodes and pods only, and each has its own name', () => {
    expect(stages.map(({ metadata, spec }) => `${spec.resourceRef.kind}/${metadata.name}`)).toEqual([
      'Node/node-initialize',
      'Node/node-heartbeat',
      'Pod/pod-ready',
      'Pod/pod-succeed',
      'Pod/pod-fail',
      'Pod/pod-delete',
    ]);
  });

  it('end only pods with the label, after the time in their annotation', () => {
    expect(find('pod-fail')?.spec.selector.matchLabels).toEqual({ 'muster.dev/simulate': 'fail' });
    expect(find('pod-fail')?.spec.delay).toEqual({
      durationMilliseconds: 200,
      durationFrom: { expressionFrom: '.metadata.annotations["muster.dev/simulate-after"]' },
    });
    expect(find('pod-ready')?.spec.selector.matchLabels).toBeUndefined();
  });

  it('take the exit code from an annotation for failing pods only', () => {
    expect(find('pod-fail')?.spec.next.statusTemplate).toContain('"muster.dev/simulate-exit-code" | default "1" | int');
    expect(find('pod-succeed')?.spec.next.statusTemplate).toContain('{{ $exitCode := 0 }}');
  });

  it('delete no pod that the API server has already removed, because a new pod may have its name', () => {
    expect(find('pod-delete')?.spec.selector.matchExpressions).toContainEqual({
      key: '.metadata.deletionGracePeriodSeconds | tostring',
      operator: 'NotIn',
      values: ['0'],
    });
  });

  it('change no pod that is being deleted, except to delete it', () => {
    for (const { metadata, spec } of stages.filter((stage) => stage.spec.resourceRef.kind === 'Pod')) {
      const [first] = spec.selector.matchExpressions;
      const operator = metadata.name === 'pod-delete' ? 'Exists' : 'DoesNotExist';
      expect(first).toEqual({ key: '.metadata.deletionTimestamp', operator });
    }
  });
});
