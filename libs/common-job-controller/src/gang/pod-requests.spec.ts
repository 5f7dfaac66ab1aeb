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
    name: 'a limit where the request is absent, resource by resource',
    spec: {
      containers: [
        container({ requests: { cpu: '1' }, limits: { cpu: '4', memory: '1500Mi', 'nvidia.com/gpu': '2' } }),
      ],
    },
    gives: { cpu: '1', memory: '1500Mi', 'nvidia.com/gpu': '2' },
  },
  {
    name: 'an init container only where it needs more than all others',
    spec: {
      containers: [requests({ cpu: '1', memory: '1Gi' }), requests({ cpu: '1', memory: '1Gi' })],
      initContainers: [requests({ cpu: '500m', memory: '3Gi' }), requests({ cpu: '1500m' })],
    },
    gives: { cpu: '2', memory: '3Gi' },
  },
  {
    name: 'an init container even where the others need nothing',
    spec: { containers: [container(undefined)], initContainers: [requests({ cpu: '50m' })] },
    gives: { cpu: '50m' },
  },
  {
    name: 'a sidecar all the time, and with the init containers that come after it',
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
    name: 'sidecars and containers together where no init container needs more',
    spec: {
      containers: [requests({ cpu: '3' })],
      initContainers: [requests({ cpu: '1' }, 'Always'), requests({ cpu: '2' })],
    },
    gives: { cpu: '4' },
  },
  {
    name: 'the overhead of the runtime class on top',
    spec: { containers: [requests({ cpu: '1' })], overhead: { cpu: '250m', memory: '120Mi' } },
    gives: { cpu: '1250m', memory: '120Mi' },
  },
  {
    name: 'the amounts of the pod as a whole before those of its containers',
    spec: {
      containers: [requests({ cpu: '1', memory: '1Gi', 'nvidia.com/gpu': '1' })],
      resources: { requests: { cpu: '3', 'nvidia.com/gpu': '9' }, limits: { memory: '8Gi' } },
      overhead: { cpu: '1' },
    },
    gives: { cpu: '4', memory: '1Gi', 'nvidia.com/gpu': '1' },
  },
  {
    name: 'a limit of the pod as a whole where no container requests that resource',
    spec: { containers: [requests({ cpu: '1' })], resources: { limits: { memory: '8Gi', 'nvidia.com/gpu': '1' } } },
    gives: { cpu: '1', memory: '8Gi' },
  },
  {
    name: 'huge pages that the pod requests as a whole',
    spec: { containers: [requests({ cpu: '1' })], resources: { requests: { 'hugepages-2Mi': '64Mi' } } },
    gives: { cpu: '1', 'hugepages-2Mi': '64Mi' },
  },
  {
    name: 'nothing for an amount that is none',
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
