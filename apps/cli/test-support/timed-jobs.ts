/** Jobs of every framework whose containers run until a test ends them, by a file that it writes on their node. */
import {
  JAX_JOBS,
  MPI_JOBS,
  MX_JOBS,
  PADDLE_JOBS,
  PYTORCH_JOBS,
  RAY_CLUSTERS,
  TF_JOBS,
  XGBOOST_JOBS,
  type Container,
  type FrameworkName,
  type JobStatus,
  type KubeObject,
  type PodSpec,
  type Resource,
} from '@muster/job-api';

export const IMAGE = 'muster.local/torch-examples:2.6';
/** In each container: a file with the name of the pod has the exit code. */
const ORDERS = '/orders';

export type Timed = KubeObject & { spec?: object; status?: JobStatus };

export interface TimedKind {
  readonly framework: FrameworkName;
  readonly resource: Resource<Timed>;
  readonly field: string;
  readonly container: string;
  readonly roles: Readonly<Record<string, number>>;
  /** How its pods restart after exit code 138. */
  readonly restartPolicy: string;
  readonly more?: object;
}

export const TIMED_KINDS: readonly TimedKind[] = [
  {
    ...{ framework: 'tensorflow', resource: TF_JOBS, field: 'tfReplicaSpecs', container: 'tensorflow' },
    ...{ roles: { PS: 1, Worker: 2 }, restartPolicy: 'ExitCode' },
  },
  {
    ...{ framework: 'pytorch-elastic', resource: PYTORCH_JOBS, field: 'pytorchReplicaSpecs', container: 'pytorch' },
    ...{ roles: { Master: 1, Worker: 2 }, restartPolicy: 'ExitCode' },
  },
  {
    ...{ framework: 'mxnet', resource: MX_JOBS, field: 'mxReplicaSpecs', container: 'mxnet' },
    ...{ roles: { Scheduler: 1, Server: 1, Worker: 1 }, restartPolicy: 'ExitCode' },
    // Its replicas cannot rejoin.
    more: {
      jobMode: 'MXTrain',
      runPolicy: { cleanPodPolicy: 'None', failurePolicy: { rules: [{ action: 'RestartJob' }] } },
    },
  },
  {
    ...{ framework: 'xgboost', resource: XGBOOST_JOBS, field: 'xgbReplicaSpecs', container: 'xgboost' },
    ...{ roles: { Master: 1, Worker: 1 }, restartPolicy: 'OnFailure' },
  },
  {
    ...{ framework: 'jax', resource: JAX_JOBS, field: 'jaxReplicaSpecs', container: 'jax' },
    ...{ roles: { Worker: 2 }, restartPolicy: 'OnFailure' },
  },
  {
    ...{ framework: 'paddle', resource: PADDLE_JOBS, field: 'paddleReplicaSpecs', container: 'paddle' },
    ...{ roles: { Worker: 2 }, restartPolicy: 'OnFailure' },
  },
  {
    ...{ framework: 'mpi', resource: MPI_JOBS, field: 'mpiReplicaSpecs', container: 'mpi' },
    ...{ roles: { Launcher: 1, Worker: 2 }, restartPolicy: 'OnFailure' },
  },
];

/** Each replica of the job, by the names of its pods. */
export function replicasOf(job: string, { roles }: TimedKind): RegExp[] {
  return Object.entries(roles).flatMap(([role, count]) =>
    role === 'Launcher'
      ? [new RegExp(`^${job}-launcher`)]
      : Array.from({ length: count }, (_, index) => new RegExp(`^${job}-${role.toLowerCase()}-${index}$`)),
  );
}

/**
 * @param orders the folder on the node
 * @param more of the spec of each pod
 */
export function timedJob(kind: TimedKind, name: string, orders: string, more: Partial<PodSpec> = {}): Timed {
  const replicaSpec = (replicas: number) => ({
    ...{ replicas, restartPolicy: kind.restartPolicy },
    template: { spec: { ...waitingPod(kind.container, orders), ...more } },
  });
  const roles = Object.entries(kind.roles).map(([role, replicas]) => [role, replicaSpec(replicas)] as const);
  return {
    apiVersion: `${kind.resource.group}/${kind.resource.version}`,
    kind: kind.resource.kind,
    metadata: { name },
    spec: { runPolicy: { cleanPodPolicy: 'None' }, ...kind.more, [kind.field]: Object.fromEntries(roles) },
  };
}

/** A cluster of a head and a worker, whose program is not Ray: Ray's health checks always succeed. Kubelets restart its containers. */
export const TIMED_RAY = {
  resource: RAY_CLUSTERS as Resource<Timed>,
  replicas: (name: string) => [new RegExp(`^${name}-.*head`), new RegExp(`^${name}-.*worker`)],
  cluster(name: string, orders: string): Timed {
    const group = (container: string) => {
      const { containers, ...spec } = waitingPod(container, orders);
      const healthy = { exec: { command: ['true'] } };
      const env = [...(containers[0]?.env ?? []), { name: 'PATH', value: `${ORDERS}:/usr/local/bin:/usr/bin:/bin` }];
      const ray = { ...containers[0]!, env, livenessProbe: healthy, readinessProbe: healthy };
      return { rayStartParams: {}, template: { spec: { ...spec, containers: [ray] } } };
    };
    return {
      apiVersion: 'ray.io/v1',
      kind: 'RayCluster',
      metadata: { name, annotations: { 'ray.io/overwrite-container-cmd': 'true' } },
      spec: {
        headGroupSpec: group('ray-head'),
        workerGroupSpecs: [{ groupName: 'small', replicas: 1, minReplicas: 1, maxReplicas: 1, ...group('ray-worker') }],
      },
    };
  },
  /** The program `ray` of its pods, in the folder on the node. */
  program: '#!/bin/sh\nexit 0\n',
};

/** Ends with the exit code that it reads. Ends at once when it is deleted. */
const WAIT = `trap 'exit 143' TERM
until [ -e ${ORDERS}/$POD ]; do sleep 0.3; done
code=$(cat ${ORDERS}/$POD); rm ${ORDERS}/$POD; exit $code`;

function waitingPod(container: string, orders: string): PodSpec {
  return {
    terminationGracePeriodSeconds: 2,
    volumes: [{ name: 'orders', hostPath: { path: orders, type: 'Directory' } }],
    containers: [containerThat(['sh', '-c', WAIT], container)],
  };
}

export function containerThat(command: readonly string[], name: string): Container {
  return {
    ...{ name, image: IMAGE, imagePullPolicy: 'IfNotPresent', command: [...command] },
    env: [{ name: 'POD', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }],
    volumeMounts: [{ name: 'orders', mountPath: ORDERS }],
    resources: { requests: { cpu: '5m' } },
  };
}

/** Lets a pod start once a file `start-<pod>` is there. */
export const INIT = containerThat(['sh', '-c', `until [ -e ${ORDERS}/start-$POD ]; do sleep 0.3; done`], 'init');

/**
 * Counts two steps a second from 0 on, and reports them. The order `stall` stops it until that file is gone; a number is its exit code. Each
 * run of the container writes the time of its steps to `<pod>.steps`.
 */
const COUNT = `
import http.server, json, os, threading, time
state = {"step": 0}
class Progress(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(json.dumps(state).encode())
    def log_message(self, *args):
        pass
server = http.server.ThreadingHTTPServer(("", 8081), Progress)
threading.Thread(target=server.serve_forever, daemon=True).start()
order = "${ORDERS}/" + os.environ["POD"]
with open(order + ".steps", "w", buffering=1) as steps:
    while True:
        now = open(order).read() if os.path.exists(order) else ""
        if now.isdigit():
            os.remove(order)
            os._exit(int(now))
        if now != "stall":
            state["step"] += 1
            print(state["step"], int(time.time() * 1000), file=steps)
        time.sleep(0.5)
`;

export const COUNTING = ['python', '-u', '-c', COUNT];
