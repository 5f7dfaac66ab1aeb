/** Rights that no test uses, each with the reason why the charts grant it. */
import { FRAMEWORKS, type FrameworkName } from '@muster/job-api';

const ASKED_BY_ADMISSION =
  'is never requested: the admission plugin OwnerReferencesPermissionEnforcement, as in OpenShift, checks it (`chart-lives.full.spec.ts` enables it)';
const UNDER_FOREIGN_CRD =
  "another operator's CRD drops Muster's record from the status, which is then kept in an annotation; in tests such CRDs have their own group";
const CLAIMS_OF_VOLCANO_JOBS =
  'creates the claims that a Volcano Job describes, which need volumes (`volcano-job.integration.spec.ts` tests it)';
const HANDED_ON = 'is granted to others: Kubernetes requires the right itself for that';

/** For every kind of the framework. */
function ofKinds(framework: FrameworkName): Record<string, string> {
  const each = FRAMEWORKS[framework].map(({ resource: { plural, group } }) => [
    [`update ${plural}.${group}/finalizers`, ASKED_BY_ADMISSION],
    [`patch ${plural}.${group}`, UNDER_FOREIGN_CRD],
  ]);
  const claims = ['create', 'get', 'update'].map((verb) => [`${verb} persistentvolumeclaims`, CLAIMS_OF_VOLCANO_JOBS]);
  return Object.fromEntries([...each.flat(), ...claims]) as Record<string, string>;
}

const { 'patch rayclusters.ray.io': _used, 'patch rayservices.ray.io': _usedForFinalizer, ...ofRay } = ofKinds('ray');

const NAME_CONFLICT =
  'reads an object of the same name with another owner, or without the labels, before it reports or labels it';

/** By framework, then by right (`patch pods`). */
export const KEPT_RIGHTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  tensorflow: ofKinds('tensorflow'),
  'pytorch-elastic': ofKinds('pytorch-elastic'),
  mxnet: ofKinds('mxnet'),
  paddle: ofKinds('paddle'),
  jax: ofKinds('jax'),
  xgboost: ofKinds('xgboost'),
  mpi: {
    ...ofKinds('mpi'),
    'create pods/exec': HANDED_ON,
    'patch jobs.batch/status':
      'removes the startTime of a suspended Job, so that a queue can place its pods again, unless Kubernetes has removed it before',
  },
  ray: {
    ...ofRay,
    'patch pods/resize': HANDED_ON,
    'delete raycronjobs.ray.io': 'deletes a job after its time to live, which a RayCronJob does not have',
    'get gateways.gateway.networking.k8s.io': NAME_CONFLICT,
    'get httproutes.gateway.networking.k8s.io': NAME_CONFLICT,
    'patch gateways.gateway.networking.k8s.io': 'reverts edits of the Gateway',
    'delete rayservices.ray.io': 'deletes a job after its time to live, which a RayService does not have',
    'patch jobs.batch': 'adopts the submitter that an earlier job left, which needs a running Ray',
  },
};
