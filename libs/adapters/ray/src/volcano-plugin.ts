/** The plugin `ray` of Volcano Jobs: a head and workers of one Ray cluster. The Job runs until a user ends it. */
import { isDeepStrictEqual } from 'node:util';
import type { DesiredResource } from '@muster/common-job-controller';
import { SERVICES, type PodSpec, type Service } from '@muster/job-api';
import {
  addedPort,
  addressOf,
  frameworkPlugin,
  port,
  task,
  taskNamed,
  text,
  VOLCANO_LABELS,
  type PodChange,
  type Values,
  type VolcanoTasks,
} from '@muster/volcano-job';
import { PORTS } from './model/ports.ts';
import { renderedParams, startedBehind } from './pods/start-command.ts';

const FLAGS = {
  head: task('head', 'The task of the head.'),
  headContainer: text('head', 'The container in which the head runs.'),
  worker: task('worker', 'The task of the workers.'),
  workerContainer: text('worker', 'The container in which a worker runs.'),
  port: port(PORTS.gcs.usual, 'The port of the GCS.'),
  dashboardPort: port(PORTS.dashboard.usual, 'The port of the dashboard.'),
  clientPort: port(PORTS.client.usual, 'The port for clients of Ray.'),
};

type RayFlags = Values<typeof FLAGS>;

export const rayPlugin = frameworkPlugin({
  name: 'ray',
  flags: FLAGS,
  needs: ['svc'],
  inJob(job, flags) {
    const head = taskNamed(job, flags.head);
    return {
      problems: problems(job, flags),
      pod({ name }) {
        if (head === undefined) return (spec) => spec;
        if (name === flags.head) return headPod(flags);
        const address = `${addressOf(job, head, 0)}:${flags.port}`;
        return name === flags.worker ? started(flags.workerContainer, 'ray start', { address }) : (spec) => spec;
      },
      // Drivers connect from anywhere through the head's Service.
      openPorts: portsOf(flags).map(([, number]) => number),
      ownedResources: [headService(job, flags)],
    };
  },
});

function headPod(flags: RayFlags): PodChange {
  const start = started(flags.headContainer, 'ray start --head', {
    'dashboard-host': '0.0.0.0',
    [PORTS.gcs.parameter]: String(flags.port),
    [PORTS.dashboard.parameter]: String(flags.dashboardPort),
    [PORTS.client.parameter]: String(flags.clientPort),
  });
  return (spec) => withHeadPorts(start(spec), flags);
}

function started(main: string, command: string, params: Readonly<Record<string, string>>): PodChange {
  const start = `${command} ${renderedParams({ ...params, block: 'true' })}`;
  return (spec) => ({
    ...spec,
    containers: spec.containers.map((each) => {
      if (each.name !== main) return each;
      const { command: _users, args: _arguments, ...rest } = each;
      return { ...rest, ...startedBehind(each, start) };
    }),
  });
}

function portsOf({ port: gcs, dashboardPort, clientPort }: RayFlags): readonly (readonly [string, number])[] {
  return [
    ['gcs', gcs],
    ['dashboard', dashboardPort],
    ['client-server', clientPort],
  ];
}

function withHeadPorts(spec: PodSpec, flags: RayFlags): PodSpec {
  const containers = spec.containers.map((head) =>
    head.name === flags.headContainer
      ? portsOf(flags).reduce((each, [name, number]) => ({ ...each, ports: addedPort(each, name, number) }), head)
      : head,
  );
  return { ...spec, containers };
}

/** By numbers, because names of ports may differ. */
function headService(job: VolcanoTasks, flags: RayFlags): DesiredResource<Service> {
  const spec = {
    type: 'ClusterIP',
    selector: {
      [VOLCANO_LABELS.jobName]: job.name,
      [VOLCANO_LABELS.jobNamespace]: job.namespace,
      [VOLCANO_LABELS.taskName]: flags.head,
    },
    ports: portsOf(flags).map(([name, number]) => ({ name, port: number, targetPort: number, protocol: 'TCP' })),
  };
  return {
    resource: SERVICES,
    object: { apiVersion: 'v1', kind: 'Service', metadata: { name: `${job.name}-head-svc` }, spec },
    change: ({ spec: existing }) =>
      isDeepStrictEqual(existing?.selector, spec.selector) && isDeepStrictEqual(existing?.ports, spec.ports)
        ? undefined
        : { patch: { spec: { selector: spec.selector, ports: spec.ports } } },
  };
}

function problems(job: VolcanoTasks, flags: RayFlags) {
  const head = taskNamed(job, flags.head);
  const worker = taskNamed(job, flags.worker);
  if (head === undefined) {
    const tasks = job.tasks.map(({ name }) => name).join(', ');
    const message = `Required value: there is no task --head=${flags.head}: set --head to the task of the head (${tasks})`;
    return [{ path: 'spec.plugins.ray', message }];
  }
  if (head.replicas !== 1) {
    return [{ path: `${head.path}.replicas`, message: `Invalid value: ${head.replicas}: a cluster has one head` }];
  }
  const mains = [
    { own: head, flag: 'headContainer', name: flags.headContainer },
    ...(worker === undefined ? [] : [{ own: worker, flag: 'workerContainer', name: flags.workerContainer }]),
  ];
  return mains.flatMap(({ own, flag, name }) => {
    const containers = own.template.spec?.containers ?? [];
    if (containers.some((each) => each.name === name)) return [];
    const known = containers.map((each) => each.name).join(', ');
    const message = `Required value: no container has the name ${name}: set --${flag} to the container that runs Ray (${known})`;
    return [{ path: `${own.path}.template.spec.containers`, message }];
  });
}
