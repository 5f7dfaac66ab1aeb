import { describe, expect, it } from 'vitest';
import { pytorchElastic } from './frameworks/pytorch-elastic.ts';
import type { JobReport } from './job-run.ts';
import { describeJob, isAsExpected, lookFurther } from './report.ts';

const plain = { faint: (text: string) => text, good: (text: string) => text, bad: (text: string) => text };
const seen = { status: { state: 'Failed' }, pods: [], log: { epochs: [] }, logText: 'line 1\nline 2\n' };
const scaled = { expectation: 'is scaled', met: true, seen: 'yes' };
const report = (...findings: JobReport['findings']): JobReport => ({ name: 'job', findings, seen });

describe('describeJob', () => {
  it('shows only the results for a job that met its expectations', () => {
    expect(isAsExpected(report(scaled))).toBe(true);
    expect(describeJob(report(scaled), plain)).toBe('✓ job\n    ✓ is scaled: yes');
  });

  it('shows missed expectations, the status and the end of the log for other jobs', () => {
    const bad = report(scaled, { expectation: 'ends Succeeded', met: false, seen: 'Failed' });
    expect(isAsExpected(bad)).toBe(false);
    const text = describeJob(bad, plain);
    for (const part of ['✗ job', '✓ is scaled', '✗ ends Succeeded: Failed', '{"state":"Failed"}', 'line 2']) {
      expect(text).toContain(part);
    }
  });
});

describe('lookFurther', () => {
  it.each([
    ['real', 'kubectl -n muster get deployments,pods'],
    ['simulated', 'npx muster operator pytorch-elastic\n'],
  ] as const)('shows how to inspect, use and remove a cluster with %s nodes', (node, operators) => {
    const text = lookFurther({ name: 'demo', node, kubeconfig: '/k', binDir: '/b' }, [pytorchElastic]);
    for (const part of [
      operators,
      'export KUBECONFIG=/k',
      'get pytorchjobs,pods',
      'npx muster cluster down --name demo',
    ]) {
      expect(text).toContain(part);
    }
  });
});
