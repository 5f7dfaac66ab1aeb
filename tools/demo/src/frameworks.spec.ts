import { IMAGES, imageReference } from '@muster/images';
import { apiVersionOf } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { DEMO_FRAMEWORKS } from './frameworks.ts';
import { mpi } from './frameworks/mpi.ts';
import { readExample } from './manifest.ts';
import { shownJobs } from './shown-jobs.ts';

const JOBS = Object.values(DEMO_FRAMEWORKS).flatMap((framework) => framework.jobs.map((job) => ({ framework, job })));

describe('the demo', () => {
  it('shows these frameworks', () => {
    expect(Object.keys(DEMO_FRAMEWORKS)).toEqual(['pytorch-elastic', 'tensorflow', 'mpi', 'mxnet']);
  });

  it.each(JOBS)('$job.manifest is of the kind and version that it is created as, and has the image', async (each) => {
    const { framework, job } = each;
    const text = await readExample(framework.name, job.manifest);
    expect(parse(text)).toMatchObject({ apiVersion: apiVersionOf(job.resource), kind: job.resource.kind });
    expect(text).toContain(`image: ${framework.image.reference}\n`);
    expect(text).toContain(`name: ${job.reporter.container}\n`);
    expect(framework.image.reference).toBe(imageReference(IMAGES[framework.image.name]));
  });
});

describe('shownJobs', () => {
  const manifests = (image: string | undefined) => {
    const { shown, leftOut } = shownJobs(mpi, image);
    return [shown, leftOut].map((jobs) => jobs.map(({ manifest }) => manifest));
  };

  it('are all of them with the images that are built here', () => {
    expect(manifests(undefined)).toEqual([['train-v2beta1.yaml', 'train-v1.yaml'], []]);
  });

  it('are not those that need further images, with somebody else’s', () => {
    expect(manifests('your/openmpi')).toEqual([['train-v2beta1.yaml'], ['train-v1.yaml']]);
  });
});
