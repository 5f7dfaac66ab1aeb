/** Faults that do not end the job: it waits, restarts without a limit, or hangs. */
import { setTimeout as sleep } from 'node:timers/promises';
import { PODS, RAY_JOBS, type KubeObject, type Resource } from '@muster/job-api';
import type { Fault, Place } from './fault.ts';
import { IMAGE, jobOf, type FormName, type Role } from './jobs.ts';
import { mesh, shell } from './programs.ts';

const RESOURCE_QUOTAS: Resource<KubeObject & { spec?: object }> = {
  ...{ group: '', version: 'v1', kind: 'ResourceQuota', plural: 'resourcequotas', namespaced: true },
};
const PRIORITY_CLASSES: Resource<KubeObject & { value?: number }> = {
  ...{ group: 'scheduling.k8s.io', version: 'v1', kind: 'PriorityClass', plural: 'priorityclasses', namespaced: false },
};
const CLAIMS: Resource<KubeObject & { spec?: object }> = {
  ...{ group: '', version: 'v1', kind: 'PersistentVolumeClaim', plural: 'persistentvolumeclaims', namespaced: true },
};

const LOG_LIMIT_MS = 120_000;

/** Pods of this priority class have a quota of 0. */
const NO_QUOTA = 'faults-no-quota';

function waiting(name: string, what: string, form: FormName, roles: Record<string, Role>, runPolicy?: object): Fault {
  return { name, what, ...jobOf(form, roles, runPolicy) };
}

const OPENMPI = 'muster.local/openmpi-examples:4.1';

const CRASH_LOOPS: readonly Fault[] = [
  waiting('crash-loop', 'every worker imports a missing module, with restartPolicy OnFailure', 'pytorch', {
    Worker: { replicas: 3, restartPolicy: 'OnFailure', command: ['python', '-c', 'import nosuchmodule'] },
  }),
  waiting('start-error-loop', 'the command is not in the image, with restartPolicy OnFailure', 'pytorch', {
    Worker: { restartPolicy: 'OnFailure', command: ['trian.py'] },
  }),
  waiting('restart-loop', 'a worker exits with a retryable code, with restartPolicy ExitCode', 'pytorch', {
    Worker: { restartPolicy: 'ExitCode', command: ['sh', '-c', 'echo lost the lock; exit 137'] },
  }),
  waiting('launcher-loop', 'the launcher of an MPIJob keeps failing, with restartPolicy OnFailure', 'mpi', {
    Launcher: { restartPolicy: 'OnFailure', command: ['sh', '-c', 'echo no hosts; exit 9'] },
    Worker: {},
  }),
];

async function quota({ client, namespace }: Place): Promise<void> {
  await client.create(PRIORITY_CLASSES, { metadata: { name: NO_QUOTA }, value: 10 });
  const scopeSelector = {
    matchExpressions: [{ scopeName: 'PriorityClass', operator: 'In', values: [NO_QUOTA] }],
  };
  await client.create(RESOURCE_QUOTAS, {
    metadata: { name: 'team-pods', namespace },
    spec: { hard: { pods: '0' }, scopeSelector },
  });
}

const NOT_STARTED: readonly Fault[] = [
  {
    ...waiting('quota', 'a quota allows no pods', 'pytorch', {
      Worker: { pod: { priorityClassName: NO_QUOTA } },
    }),
    prepare: quota,
  },
  waiting('too-large', 'no node has as many CPUs as a worker requests', 'pytorch', {
    Worker: { container: { resources: { requests: { cpu: '4000' } } } },
  }),
  waiting('no-such-node', 'no node has the label that a worker selects', 'tensorflow', {
    Worker: { pod: { nodeSelector: { gpu: 'h100' } } },
  }),
  waiting('no-claim', 'a PersistentVolumeClaim is missing', 'pytorch', {
    Worker: { pod: { volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'imagenet' } }] } },
  }),
  {
    ...waiting('unbound-claim', 'a PersistentVolumeClaim has a StorageClass that does not exist', 'pytorch', {
      Worker: { pod: { volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'slow-disk' } }] } },
    }),
    prepare: async ({ client, namespace }) => {
      const resources = { requests: { storage: '1Gi' } };
      const spec = { storageClassName: 'nowhere', accessModes: ['ReadWriteOnce'], resources };
      await client.create(CLAIMS, { metadata: { name: 'slow-disk', namespace }, spec });
    },
  },
  waiting('no-secret-volume', 'a mounted Secret is missing', 'pytorch', {
    Worker: {
      pod: { volumes: [{ name: 'token', secret: { secretName: 'wandb-token' } }] },
      container: { volumeMounts: [{ name: 'token', mountPath: '/token' }] },
    },
  }),
  waiting('no-scheduler', "no scheduler has the pods' schedulerName", 'pytorch', {
    Worker: { pod: { schedulerName: 'nowhere' } },
  }),
  waiting('never-ready', 'a readiness probe never succeeds', 'pytorch', {
    Worker: { container: { readinessProbe: { exec: { command: ['false'] }, periodSeconds: 1 } } },
  }),
  waiting('init-hangs', 'an init container does not end', 'pytorch', {
    Worker: {
      pod: { initContainers: [{ name: 'fetch', image: IMAGE, command: ['sh', '-c', 'echo fetching; sleep 3600'] }] },
    },
  }),
];

const REFUSED: readonly Fault[] = [
  waiting('invalid-template', 'a mount names a volume that the template does not have', 'pytorch', {
    Worker: { container: { volumeMounts: [{ name: 'data', mountPath: '/data' }] } },
  }),
  waiting('typo', 'a field of the pod template is misspelled (imagePullPolcy)', 'pytorch', {
    Worker: { container: { imagePullPolcy: 'Never' } as object },
  }),
  {
    ...waiting('gang-scheduler', 'the operator does not know the gang scheduler that the job names', 'pytorch', {
      Worker: {},
    }),
    annotations: { 'muster.dev/gang-scheduler': 'volcano' },
  },
];

const HANGS: readonly Fault[] = [
  waiting('hangs', 'the program waits forever, and the job has no progressDeadlineSeconds', 'pytorch', {
    Worker: { replicas: 2, command: shell('import time; print("step 7", flush=True); time.sleep(3600)') },
  }),
  waiting('restarted-rank', 'one rank of a static job restarts, and its peers wait for it', 'pytorch', {
    Master: { restartPolicy: 'OnFailure', command: ['sleep', '3600'] },
    Worker: {
      restartPolicy: 'OnFailure',
      command: ['sh', '-c', 'if [ -e /scratch/x ]; then sleep 3600; fi; touch /scratch/x; sleep 5; exit 3'],
      container: { volumeMounts: [{ name: 'scratch', mountPath: '/scratch' }] },
      pod: { volumes: [{ name: 'scratch', emptyDir: {} }] },
    },
  }),
];

/** Waits until the log of the pod contains the text. */
async function logToHave({ client, namespace }: Place, pod: string, text: string): Promise<void> {
  const endMs = performance.now() + LOG_LIMIT_MS;
  let log = '';
  while (!log.includes(text)) {
    if (performance.now() > endMs) throw new Error(`the log of ${pod} does not have "${text}": ${log}`);
    await sleep(1000);
    log = await client.text(`/api/v1/namespaces/${namespace}/pods/${pod}/log`);
  }
}

/** Waits for DNS names of the workers, so that ssh does not fail because of them. */
const WHEN_RESOLVED =
  'until getent hosts no-sshd-worker-0.no-sshd && getent hosts no-sshd-worker-1.no-sshd; do sleep 1; done; exec mpirun -n 2 true';

/** Further faults that end a job. */
const ENDS: readonly Fault[] = [
  {
    ...waiting('torchrun-typo', 'torchrun starts a missing program', 'pytorch', {
      Worker: { command: ['torchrun', '--nproc-per-node=1', '--standalone', 'trian.py'] },
    }),
    expected: { pod: 'torchrun-typo-worker-0', class: 'Program', exitCode: 1 },
  },
  {
    ...waiting(
      ...(['no-sshd', 'the workers run no sshd', 'mpi'] as const),
      {
        Launcher: { command: ['sh', '-c', WHEN_RESOLVED], container: { image: OPENMPI } },
        Worker: { replicas: 2, container: { image: OPENMPI } },
      },
      { backoffLimit: 0 },
    ),
    expected: { role: 'Launcher', class: 'Program' },
  },
  {
    ...waiting('deleted-pod', 'a user deletes a worker, and its peers fail', 'pytorch', {
      Worker: { replicas: 3, command: shell(mesh(-1, 'pass')) },
    }),
    watched: 'deleted-pod-worker-2',
    inject: async (place) => {
      const name = 'deleted-pod-worker-2';
      await logToHave(place, name, 'met');
      await place.client.delete(PODS, { namespace: place.namespace, name });
    },
    expected: { pod: 'deleted-pod-worker-2', class: 'Deleted' },
  },
  {
    ...waiting('scratch-full', 'a worker exceeds the size limit of its emptyDir', 'pytorch', {
      Worker: {
        command: ['sh', '-c', 'head -c 20000000 /dev/zero > /scratch/x; sleep 3600'],
        container: { volumeMounts: [{ name: 'scratch', mountPath: '/scratch' }] },
        pod: { volumes: [{ name: 'scratch', emptyDir: { sizeLimit: '1Mi' } }] },
      },
    }),
    expected: { pod: 'scratch-full-worker-0', class: 'Evicted' },
  },
  waiting(
    'deadline',
    'the job runs longer than activeDeadlineSeconds',
    'pytorch',
    { Worker: {} },
    {
      activeDeadlineSeconds: 20,
    },
  ),
  {
    ...waiting(
      ...(['backoff-limit', 'a worker fails more often than backoffLimit', 'pytorch'] as const),
      { Worker: { restartPolicy: 'OnFailure', command: ['sh', '-c', 'echo no data; exit 4'] } },
      { backoffLimit: 1 },
    ),
    expected: { pod: 'backoff-limit-worker-0', class: 'Program', exitCode: 4 },
  },
];

const rayTemplate = (name: string) => ({ template: { spec: { containers: [{ name, image: IMAGE }] } } });

const NO_OPERATOR: readonly Fault[] = [
  {
    name: 'no-operator',
    what: 'the cluster has the CRD, but no operator for it',
    resource: RAY_JOBS,
    spec: {
      entrypoint: 'python train.py',
      rayClusterSpec: { rayVersion: '2.60.0', headGroupSpec: { rayStartParams: {}, ...rayTemplate('ray-head') } },
    },
  },
  {
    ...waiting('operator-gone', 'the operator is stopped, and then a pod is deleted', 'mxnet', {
      ...{ Scheduler: {}, Server: {}, Worker: {} },
    }),
    watched: 'operator-gone-worker-0',
    inject: async ({ client, namespace, stopOperator }) => {
      await stopOperator('mxnet');
      await client.delete(PODS, { namespace, name: 'operator-gone-worker-0' });
    },
    isLast: true,
  },
];

export const WAITING_FAULTS: readonly Fault[] = [
  ...[...CRASH_LOOPS, ...NOT_STARTED, ...REFUSED],
  ...[...HANGS, ...ENDS, ...NO_OPERATOR],
];
