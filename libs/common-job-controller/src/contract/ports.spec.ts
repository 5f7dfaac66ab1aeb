import type { Container, ContainerPort, ReplicaSpecs } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import { portOf, portProblems, withDefaultPort } from './ports.ts';

const RULE = { containerName: 'main', port: { name: 'main-port', number: 1234 } } as const;
const DEFAULT: ContainerPort = { name: 'main-port', containerPort: 1234 };

const container = (name: string, ...ports: ContainerPort[]): Container => ({
  name,
  image: 'registry.example/main:1',
  ...(ports.length > 0 && { ports }),
});
const template = (...containers: Container[]) => ({ spec: { containers } });

describe('withDefaultPort', () => {
  const METRICS: ContainerPort = { name: 'metrics', containerPort: 9000 };
  const OWN: ContainerPort = { name: 'main-port', containerPort: 29_500 };

  it.each<[what: string, before: Container[], after: Container[]]>([
    ["adds the port to the framework's container", [container('main')], [container('main', DEFAULT)]],
    ["adds it after the user's own", [container('main', METRICS)], [container('main', METRICS, DEFAULT)]],
    ['keeps a port of that name', [container('main', OWN)], [container('main', OWN)]],
    [
      'does not change sidecars',
      [container('logs'), container('main')],
      [container('logs'), container('main', DEFAULT)],
    ],
    [
      "ignores a sidecar's port of the same name",
      [container('logs', OWN), container('main')],
      [container('logs', OWN), container('main', DEFAULT)],
    ],
    [
      'adds the port to the first container if none has the name',
      [container('a'), container('b')],
      [container('a', DEFAULT), container('b')],
    ],
    ['adds nothing without containers', [], []],
  ])('%s', (_what, before, after) => {
    expect(withDefaultPort(template(...before), RULE)).toEqual(template(...after));
  });

  it("adds no second port of the number in the host's network, where the pod would be refused", () => {
    const completed = (...ports: ContainerPort[]) =>
      withDefaultPort({ spec: { hostNetwork: true, containers: [container('main', ...ports)] } }, RULE).spec
        ?.containers[0]?.ports;
    const own = { containerPort: DEFAULT.containerPort };
    expect(completed(own)).toEqual([own]);
    const ofUdp = { ...own, protocol: 'UDP' };
    expect([completed(ofUdp), completed(METRICS)]).toEqual([
      [ofUdp, DEFAULT],
      [METRICS, DEFAULT],
    ]);
  });

  it('accepts a template without spec', () => {
    expect(withDefaultPort({}, RULE)).toEqual({});
  });
});

describe('portOf', () => {
  it.each<[what: string, containers: Container[], port: number]>([
    ['is the default port without a port in the template', [container('main')], 1234],
    [
      "is the port with the framework's name",
      [container('main', { name: 'main-port', containerPort: 29_500 })],
      29_500,
    ],
    ['ignores a port of another name', [container('main', { name: 'metrics', containerPort: 9000 })], 1234],
    [
      "ignores a sidecar's port",
      [container('logs', { name: 'main-port', containerPort: 4444 }), container('main')],
      1234,
    ],
  ])('%s', (_what, containers, port) => {
    expect(portOf({ template: template(...containers) }, RULE)).toBe(port);
  });
});

describe('portProblems', () => {
  const problems = (...containers: Container[]) =>
    portProblems('jobSpecs', { Worker: { template: template(...containers) } }, RULE);

  it("reports a sidecar's port that the framework uses as well, and what to do", () => {
    expect(problems(container('main'), container('logs', { containerPort: 80 }, { containerPort: 1234 }))).toEqual([
      {
        path: 'spec.jobSpecs[Worker].template.spec.containers[1].ports[1].containerPort',
        message:
          'Invalid value: 1234: container main of the same pod uses this port (main-port): use another port for one of them',
      },
    ]);
  });

  it.each<[what: string, containers: Container[], clashes: number]>([
    ['no sidecar', [container('main')], 0],
    ['a sidecar without ports', [container('main'), container('logs')], 0],
    ['a sidecar with another port', [container('main'), container('logs', { containerPort: 1235 })], 0],
    [
      'a sidecar with the same number in UDP',
      [container('main'), container('dns', { containerPort: 1234, protocol: 'UDP' })],
      0,
    ],
    [
      'a sidecar with the same number in TCP',
      [container('main'), container('logs', { containerPort: 1234, protocol: 'TCP' })],
      1,
    ],
    ['a sidecar before the framework', [container('logs', { containerPort: 1234 }), container('main')], 1],
    [
      'two sidecars',
      [container('main'), container('a', { containerPort: 1234 }), container('b', { containerPort: 1234 })],
      2,
    ],
    [
      "the user's own number for the framework's port, and the default free",
      [container('main', { name: 'main-port', containerPort: 5000 }), container('logs', { containerPort: 1234 })],
      0,
    ],
    [
      "the user's own number for the framework's port, and a sidecar with it",
      [container('main', { name: 'main-port', containerPort: 5000 }), container('logs', { containerPort: 5000 })],
      1,
    ],
    ["another port of the framework's container", [container('main', { name: 'metrics', containerPort: 9000 })], 0],
  ])('counts the clashes of %s', (_what, containers, clashes) => {
    expect(problems(...containers)).toHaveLength(clashes);
  });

  it('accepts null for a list of ports', () => {
    const logs = { ...container('logs'), ports: null } as unknown as Container;
    expect(problems(container('main'), logs)).toEqual([]);
  });

  it('accepts null for a role', () => {
    const specs = { Chief: null, Worker: { template: template(container('main')) } } as unknown as ReplicaSpecs;
    expect(portProblems('jobSpecs', specs, RULE)).toEqual([]);
  });

  it('checks every role and reports the name that the manifest uses', () => {
    const spec = { template: template(container('main'), container('logs', { containerPort: 1234 })) };
    const specs: ReplicaSpecs = { PS: { template: template(container('main')) }, worker: spec, CHIEF: spec };
    expect(portProblems('jobSpecs', specs, RULE).map(({ path }) => path)).toEqual([
      'spec.jobSpecs[worker].template.spec.containers[1].ports[0].containerPort',
      'spec.jobSpecs[CHIEF].template.spec.containers[1].ports[0].containerPort',
    ]);
  });
});
