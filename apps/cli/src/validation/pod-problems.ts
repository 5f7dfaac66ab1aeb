/**
 * Errors for which the API server refuses a pod (k8s.io/kubernetes, pkg/apis/core/validation). They are a part of its rules: an API
 * server refuses more. A test on an API server checks that it refuses each of them.
 */
import type { FieldProblem } from '@muster/job-api';
import { isIP } from 'node:net';
import {
  all,
  distinct,
  duplicate,
  fields,
  fieldsOf,
  invalid,
  isAbsent,
  itemsOf,
  list,
  oneOf,
  present,
  repeated,
  required,
  text,
  textOf,
  within,
  type Check,
} from './check.ts';
import { container, id } from './container-problems.ts';
import { labelProblems } from './metadata-problems.ts';
import { isSubdomain, label, labelValue, qualifiedName, subdomain, SUBDOMAIN_MESSAGE } from './names.ts';
import { volume } from './volume-problems.ts';

const MOST_SEARCHES = 32;
const MOST_NAMESERVERS = 3;

/** At `path`, such as `spec`. */
export function podProblems(spec: unknown, path: string): FieldProblem[] {
  return [
    ...POD(spec, path),
    ...containerNames(spec, path),
    ...mountedVolumes(spec, path),
    ...claimedDevices(spec, path),
    ...hostPorts(spec, path),
  ];
}

const address = text((value) => isIP(value) !== 0, 'must be an IP address');

const atMost =
  (most: number): Check =>
  (value, path) =>
    Array.isArray(value) && value.length > most
      ? [{ path, message: `Too many: ${value.length}: must have at most ${most} items` }]
      : [];

const texts =
  (check: Check): Check =>
  (value, path) =>
    Array.isArray(value) ? value.flatMap((item, at) => check(item, `${path}[${at}]`)) : [];

const dnsName = text((name) => {
  const plain = name.replace(/[.]$/, '').replaceAll('_', '-');
  return name === '.' || isSubdomain(plain);
}, SUBDOMAIN_MESSAGE);

const toleration: Check = (value, path) => {
  const { key, operator, effect, tolerationSeconds, value: content } = fieldsOf(value);
  const problems = fields({
    key: qualifiedName,
    effect: oneOf('NoSchedule', 'PreferNoSchedule', 'NoExecute'),
    operator: oneOf('Equal', 'Exists', 'Lt', 'Gt'),
  })(value, path);
  return [
    ...problems,
    ...(isAbsent(key) && operator !== 'Exists'
      ? [invalid(`${path}.operator`, operator ?? '', 'must be Exists if there is no key')]
      : []),
    ...(operator === 'Exists'
      ? isAbsent(content)
        ? []
        : [invalid(`${path}.value`, content, 'must be empty with the operator Exists')]
      : isAbsent(operator) || operator === 'Equal'
        ? labelValue(content, `${path}.value`)
        : []),
    ...(tolerationSeconds !== undefined && tolerationSeconds !== null && effect !== 'NoExecute'
      ? [invalid(`${path}.effect`, effect ?? '', 'must be NoExecute with tolerationSeconds')]
      : []),
  ];
};

const dns: Check = (value, path) => {
  const { dnsPolicy, dnsConfig } = fieldsOf(value);
  const { nameservers } = fieldsOf(dnsConfig);
  const isWithout = !Array.isArray(nameservers) || nameservers.length === 0;
  return dnsPolicy === 'None' && isWithout
    ? [required(`${path}.dnsConfig.nameservers`, 'the dnsPolicy None needs a name server')]
    : [];
};

const POD: Check = all(
  fields({
    containers: all(present('a pod has a container'), list(container)),
    initContainers: list(container),
    volumes: all(list(volume), distinct('name')),
    restartPolicy: oneOf('Always', 'OnFailure', 'Never'),
    activeDeadlineSeconds: within(1, 2 ** 31 - 1),
    dnsPolicy: oneOf('ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None'),
    dnsConfig: fields({
      nameservers: all(atMost(MOST_NAMESERVERS), texts(address)),
      searches: all(atMost(MOST_SEARCHES), texts(dnsName)),
      options: list(fields({ name: present('name the option') })),
    }),
    nodeSelector: labelProblems,
    hostname: label,
    subdomain: label,
    nodeName: subdomain,
    priorityClassName: subdomain,
    tolerations: list(toleration),
    hostAliases: list(fields({ ip: all(present('the address'), address) })),
    securityContext: fields({ runAsUser: id, runAsGroup: id, fsGroup: id }),
    schedulingGates: all(list(fields({ name: all(present('name the gate'), qualifiedName) })), distinct('name')),
    topologySpreadConstraints: list(
      fields({
        maxSkew: all(present('must be at least 1'), within(1, 2 ** 31 - 1)),
        topologyKey: present('name the label of nodes'),
        whenUnsatisfiable: all(present('DoNotSchedule or ScheduleAnyway'), oneOf('DoNotSchedule', 'ScheduleAnyway')),
      }),
    ),
    readinessGates: list(fields({ conditionType: qualifiedName })),
  }),
  dns,
);

/** All containers, in the order of the API server. */
function containersOf(spec: unknown, path: string): ReturnType<typeof itemsOf> {
  const { containers, initContainers } = fieldsOf(spec);
  return [...itemsOf(containers, `${path}.containers`), ...itemsOf(initContainers, `${path}.initContainers`)];
}

function containerNames(spec: unknown, path: string): FieldProblem[] {
  return repeated(containersOf(spec, path).map(([{ name }, at]) => [name, `${at}.name`]));
}

function mountedVolumes(spec: unknown, path: string): FieldProblem[] {
  const volumes = new Set(itemsOf(fieldsOf(spec).volumes, '').map(([{ name }]) => name));
  return containersOf(spec, path).flatMap(([{ volumeMounts }, at]) =>
    itemsOf(volumeMounts, `${at}.volumeMounts`).flatMap(([{ name }, mount]) =>
      isAbsent(name) || volumes.has(name)
        ? []
        : [{ path: `${mount}.name`, message: `Not found: ${JSON.stringify(name)}: the pod has no such volume` }],
    ),
  );
}

function claimedDevices(spec: unknown, path: string): FieldProblem[] {
  const claims = new Set(itemsOf(fieldsOf(spec).resourceClaims, '').map(([{ name }]) => name));
  return containersOf(spec, path).flatMap(([{ resources }, at]) =>
    itemsOf(fieldsOf(resources).claims, `${at}.resources.claims`).flatMap(([{ name }, claim]) =>
      claims.has(name)
        ? []
        : [{ path: claim, message: `Not found: ${JSON.stringify(name)}: the pod has no such item of resourceClaims` }],
    ),
  );
}

/** Ports of the node, each for one container. With `hostNetwork`, every port is one of the node. */
function hostPorts(spec: unknown, path: string): FieldProblem[] {
  const { containers, hostNetwork } = fieldsOf(spec);
  const taken = new Set<string>();
  const ports = itemsOf(containers, `${path}.containers`).flatMap(([item, at]) => itemsOf(item.ports, `${at}.ports`));
  return ports.flatMap(([{ containerPort, hostPort, hostIP, protocol }, at]) => {
    const number = hostPort || (hostNetwork === true ? containerPort : undefined);
    if (typeof number !== 'number') return [];
    const key = `${textOf(protocol) || 'TCP'} ${textOf(hostIP)} ${number}`;
    const isTaken = taken.has(key);
    taken.add(key);
    return [
      ...(isTaken ? [duplicate(`${at}.hostPort`, number)] : []),
      ...(hostNetwork === true && number !== containerPort
        ? [invalid(`${at}.hostPort`, hostPort, 'must be equal to containerPort with hostNetwork')]
        : []),
    ];
  });
}
