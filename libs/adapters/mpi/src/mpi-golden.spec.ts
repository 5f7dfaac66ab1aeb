/**
 * The files in `golden/` were compared by hand with the rules of Kubeflow's operators, those of v1alpha1 with the first
 * design of the MPI operator; docs/administrators/differences.md lists the differences. A manifest in one of the folders is a test
 * case.
 */
import { objectsOf } from '@muster/common-job-controller';
import { mpiJobDefinition, type MPIJob } from '@muster/job-api';
import { describeGoldenObjects, type ObjectsOfKind } from '@muster/testing';
import { describe } from 'vitest';
import { withoutDigest } from '../test-support/without-digest.ts';
import { mpiAdapter } from './mpi-adapter.ts';
import type { MPISettings } from './generations/mpi-options.ts';

/** Makes the files independent of the Kubernetes release. */
const deliveryImage = 'registry.example/kubectl-delivery:1';

function kindUnder(settings: Partial<MPISettings> = {}): ObjectsOfKind<MPIJob> {
  const adapter = mpiAdapter({ deliveryImage, ...settings });
  return {
    definition: mpiJobDefinition,
    objectsOf: (job, planned) => objectsOf(adapter, job, planned).map(withoutDigest),
  };
}

/** The Services are the job's own in both modes. */
const serviceModes = ['PerJob'] as const;

const EXAMPLES = new URL('../../../../examples/mpi/', import.meta.url);
const GOLDEN = new URL('../golden/', import.meta.url);

describeGoldenObjects(kindUnder(), { manifests: GOLDEN, golden: GOLDEN, serviceModes });

describeGoldenObjects(kindUnder(), { manifests: EXAMPLES, golden: new URL('examples/', GOLDEN), serviceModes });

describe.each(['v2beta1', 'v1', 'v1alpha1'])('upstream forms of %s:', (generation) => {
  const folder = `upstream-forms/${generation}/`;
  describeGoldenObjects(kindUnder(), {
    manifests: new URL(folder, EXAMPLES),
    golden: new URL(folder, GOLDEN),
    serviceModes,
  });
});

describe('with launchers of v1alpha1 that do not compute:', () => {
  describeGoldenObjects(kindUnder({ launcherComputes: false }), {
    manifests: new URL('upstream-forms/v1alpha1/', EXAMPLES),
    golden: new URL('upstream-forms/v1alpha1-launcher-only-launches/', GOLDEN),
    serviceModes,
  });
});
