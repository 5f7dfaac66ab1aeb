import { IMAGES, imageReference } from '@muster/images';
import { apiVersionOf } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { DEFAULT_FRAMEWORKS, DEMO_FRAMEWORKS } from './frameworks.ts';
import { mpi } from './frameworks/mpi.ts';
import { ray } from './frameworks/ray.ts';
import { readExample } from './manifest.ts';
import { shownJobs } from './shown-jobs.ts';

const JOBS = Object.values(DEMO_FRAMEWORKS).flatMap((framework) => framework.jobs.map((job) => ({ framework, job })));

const MADE_BY_OPERATORS = new Set(['ray-job-submitter']);

describe('the demo', () => {
  it('shows these frameworks', () => {
    expect(Object.keys(DEMO_FRAMEWORKS)).toEqual([
      'pytorch-elastic',
      'tensorflow',
      'mpi',
      'mxnet',
      'xgboost',
      'paddle',
      'jax',
      'ray',
    ]);
  });

  it('shows the others only when they are named', () => {
    expect(DEFAULT_FRAMEWORKS).toEqual(['pytorch-elastic', 'tensorflow', 'mpi', 'mxnet', 'ray']);
  });

  it.each(JOBS)('$job.manifest has the kind, version and image of the demo', async (each) => {
    const { framework, job } = each;
    const text = await readExample(framework.name, job.manifest);
    expect(parse(text)).toMatchObject({ apiVersion: apiVersionOf(job.resource), kind: job.resource.kind });
    expect(text).toContain(`image: ${framework.image.reference}\n`);
    if (!MADE_BY_OPERATORS.has(job.reporter.container)) expect(text).toContain(`name: ${job.reporter.container}\n`);
    expect(framework.image.reference).toBe(imageReference(IMAGES[framework.image.name]));
  });
});

describe('shownJobs', () => {
  const manifests = (image: string | undefined, framework = mpi, trains = true) => {
    const { shown, leftOut } = shownJobs(framework, image, trains);
    return [shown, leftOut].map((jobs) => jobs.map(({ manifest }) => manifest));
  };

  it('are all jobs with the images that are built here', () => {
    expect(manifests(undefined)).toEqual([['train-v2beta1.yaml', 'train-v1.yaml'], []]);
  });

  it('exclude jobs that need running containers, on simulated nodes', () => {
    expect(manifests(undefined, ray, false)).toEqual([['raycluster.yaml'], ['rayjob-k8s.yaml']]);
    expect(manifests(undefined, ray)).toEqual([['raycluster.yaml', 'rayjob-k8s.yaml'], []]);
  });

  it('exclude jobs that need further images, with the image of the user', () => {
    expect(manifests('your/openmpi')).toEqual([['train-v2beta1.yaml'], ['train-v1.yaml']]);
  });
});
