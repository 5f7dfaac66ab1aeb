import type { RayJobSpec } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import { rayJob } from '../../test-support/ray-jobs.ts';
import { submitterWarnings } from './submitter-warnings.ts';

const template = (restartPolicy?: 'Never' | 'OnFailure'): Partial<RayJobSpec> => ({
  submitterPodTemplate: {
    spec: { containers: [{ name: 'submitter', image: 'ray:2.60' }], ...(restartPolicy && { restartPolicy }) },
  },
});

describe('the warnings about a submitter', () => {
  it('name restartPolicy OnFailure, under which a drain counts as a failure', () => {
    const [warning, ...others] = submitterWarnings(rayJob(template('OnFailure')));
    expect(others).toEqual([]);
    expect(warning?.path).toBe('spec.submitterPodTemplate.spec.restartPolicy');
    expect(warning?.message).toContain('spec.submitterConfig.backoffLimit');
  });

  it.each<[what: string, spec: Partial<RayJobSpec>]>([
    ['Never', template('Never')],
    ['no restartPolicy', template()],
    ['no template', {}],
    ['another submissionMode', { ...template('OnFailure'), submissionMode: 'HTTPMode' }],
  ])('are empty with %s', (_what, spec) => {
    expect(submitterWarnings(rayJob(spec))).toEqual([]);
  });
});
