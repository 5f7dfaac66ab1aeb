import { formatQuantity, type Container, type PodSpec } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import { podRequests } from './pod-requests.ts';

function container(resources: Container['resources'], restartPolicy?: string): Container {
  return { name: 'c', ...(resources && { resources }), ...(restartPolicy && { restartPolicy }) };
}

const requests = (amounts: Record<string, string>, restartPolicy?: string) =>
  container({ requests: amounts }, restartPolicy);

interface Case {
  readonly name: string;
  readonly spec: PodSpec & { resources?: Container['resources'] };
  readonly gives: Record<string, string>;
}

const CASES: readonly Case[] = [
  { name: 'nothing without resources', spec: { containers: [container(undefined)] }, gives: {} },
  {
    name: 'the sum over containers',
    spec: { containers: [requests({ cpu: '100m', memory: '2Gi' }), requests({ cpu: '0.5', memory: '512Mi' })] },
    gives: { cpu: '600m', memory: '2560Mi' },
  },
  {
    name: 'a limit if the request is absent, per resource',
    spec: {
      containers: [
        container({ requests: { cpu: '1' }, limits: { cpu: '4', memory: '1500Mi', 'nvidia.com/gpu': '2' } }),
      ],
    },
    gives: { cpu: '1', memory: '1500Mi', 'nvidia.com/gpu': '2' },
  },
  {
    name: 'an init container only if it needs more than the sum of containers',
    spec: {
      containers: [requests({ cpu: '1', memory: '1Gi' }), requests({ cpu: '1', memory: '1Gi' })],
      initContainers: [requests({ cpu: '500m', memory: '3Gi' }), requests({ cpu: '1500m' })],
    },
    gives: { cpu: '2', memory: '3Gi' },
  },
  {
    name: 'an init container if the containers need nothing',
    spec: { containers: [container(undefined)], initContainers: [requests({ cpu: '50m' })] },
    gives: { cpu: '50m' },
  },
  {
    name: 'a sidecar with the containers, and with the init containers after it',
    spec: {
      containers: [requests({ cpu: '1' })],
      initContainers: [
        requests({ cpu: '2' }),
        requests({ cpu: '300m' }, 'Always'),
        requests({ cpu: '1900m', memory: '1Gi' }),
      ],
    },
    gives: { cpu: '2200m', memory: '1Gi' },
  },
  {
    name: 'sidecars and containers together if no init container needs more',
    spec: {
      containers: [requests({ cpu: '3' })],
      initContainers: [requests({ cpu: '1' }, 'Always'), requests({ cpu: '2' })],
    },
    gives: { cpu: '4' },
  },
  {
    name: 'the overhead of the runtime class in addition',
    spec: { containers: [requests({ cpu: '1' })], overhead: { cpu: '250m', memory: '120Mi' } },
    gives: { cpu: '1250m', memory: '120Mi' },
  },
  {
    name: 'pod-level resources rather than those of containers',
    spec: {
      containers: [requests({ cpu: '1', memory: '1Gi', 'nvidia.com/gpu': '1' })],
      resources: { requests: { cpu: '3', 'nvidia.com/gpu': '9' }, limits: { memory: '8Gi' } },
      overhead: { cpu: '1' },
    },
    gives: { cpu: '4', memory: '1Gi', 'nvidia.com/gpu': '1' },
  },
  {
    name: 'a pod-level limit if no container requests the resource',
    spec: { containers: [requests({ cpu: '1' })], resources: { limits: { memory: '8Gi', 'nvidia.com/gpu': '1' } } },
    gives: { cpu: '1', memory: '8Gi' },
  },
  {
    name: 'pod-level huge pages',
    spec: { containers: [requests({ cpu: '1' })], resources: { requests: { 'hugepages-2Mi': '64Mi' } } },
    gives: { cpu: '1', 'hugepages-2Mi': '64Mi' },
  },
  {
    name: 'nothing for an invalid amount',
    spec: { containers: [requests({ cpu: 'many', memory: '1Gi' })] },
    gives: { memory: '1Gi' },
  },
];

describe('podRequests', () => {
  it.each(CASES)('counts $name', ({ spec, gives }) => {
    const found = [...podRequests(spec)].map(([name, quantity]) => [name, formatQuantity(quantity)] as const);
    expect(Object.fromEntries(found)).toEqual(gives);
  });
});
