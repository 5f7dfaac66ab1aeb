/** Rights that no test makes use of, and why the charts give them all the same. */
import { FRAMEWORKS, type FrameworkName } from '@muster/job-api';

const ASKED_BY_ADMISSION =
  'is never requested: the admission plugin OwnerReferencesPermissionEnforcement, as in OpenShift, asks for it (`chart-lives.full.spec.ts` has it on)';
const UNDER_FOREIGN_CRD =
  "another operator's CRD drops what Muster keeps in the status, which then stands in an annotation; such CRDs have a group of their own in tests";
const CLAIMS_OF_VOLCANO_JOBS =
  'makes claims that a Volcano Job describes, for which no volumes are there (`volcano-job.integration.spec.ts` has them made)';
const HANDED_ON = 'is handed on: whoever grants a right to others has to have it';

/** Of every kind of the framework. */
function ofKinds(framework: FrameworkName): Record<string, string> {
  const each = FRAMEWORKS[framework].map(({ resource: { plural, group } }) => [
    [`update ${plural}.${group}/finalizers`, ASKED_BY_ADMISSION],
    [`patch ${plural}.${group}`, UNDER_FOREIGN_CRD],
  ]);
  const claims = ['create', 'get', 'update'].map((verb) => [`${verb} persistentvolumeclaims`, CLAIMS_OF_VOLCANO_JOBS]);
  return Object.fromEntries([...each.flat(), ...claims]) as Record<string, string>;
}

const { 'patch rayclusters.ray.io': _used, ...ofRay } = ofKinds('ray');

/** By framework, then by the right's words (`patch pods`). */
export const UNUSED_ON_PURPOSE: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  tensorflow: ofKinds('tensorflow'),
  'pytorch-elastic': ofKinds('pytorch-elastic'),
  mxnet: ofKinds('mxnet'),
  mpi: {
    ...ofKinds('mpi'),
    'create pods/exec': HANDED_ON,
    'patch jobs.batch/status':
      "a suspended Job's startTime is taken back for a queue that places its pods anew, unless Kubernetes has done so before",
  },
  ray: {
    ...ofRay,
    'patch pods/resize': HANDED_ON,
    'patch jobs.batch': 'takes up a submitter that an earlier job has left, which takes a Ray that runs',
  },
};
