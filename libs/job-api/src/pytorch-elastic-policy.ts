/**
 * How many workers an elastic PyTorchJob may have, and how they find each other. The fields become torchrun's own
 * settings, so the rules refuse what torchrun would refuse only after all pods have started.
 */
import * as z from 'zod';
import { withRules } from './rule.ts';
import { count, port } from './scalars.ts';

const atLeastOne = () => z.int32().min(1);

const rdzvConfEntry = withRules(
  z.object({
    key: z.string().max(256).describe('Name of the option.'),
    value: z.string().max(1024).describe('Its value.'),
  }),
  [
    {
      cel: "has(self.key) && self.key.matches('^[^,=]*[^,=\\\\s][^,=]*$')",
      holds: ({ key }) => /^[^,=]*[^,=\s][^,=]*$/.test(key),
      message: 'must not be empty nor contain "," or "=": torchrun reads the options as key=value,key=value',
      at: ['key'],
    },
    {
      cel: "has(self.value) && self.value.matches('^[^,]*[^,\\\\s][^,]*$')",
      holds: ({ value }) => /^[^,]*[^,\s][^,]*$/.test(value),
      message: 'must not be empty nor contain ",": torchrun reads the options as key=value,key=value',
      at: ['value'],
    },
  ],
);

/** How torchrun's agent may start its worker processes. */
const START_METHODS = ['spawn', 'fork', 'forkserver'] as const;

const seconds = (least: number) => z.int32().min(least).max(86_400);

const fitToCapacitySchema = z.object({
  unschedulableSeconds: seconds(1)
    .describe('For how long no node has taken a worker before the job goes on without it. Default 60.')
    .exactOptional(),
  retrySeconds: seconds(1)
    .describe(
      'After how long it tries to have all workers again: twice as long after each try in vain, an hour at most. Default 300.',
    )
    .exactOptional(),
});

/** `spec.elasticPolicy` of a PyTorchJob. */
export const elasticPolicySchema = withRules(
  z.object({
    minReplicas: atLeastOne()
      .describe(
        'The least number of workers the job can go on with. Default: maxReplicas, else the number of workers that the job began with.',
      )
      .exactOptional(),
    maxReplicas: atLeastOne()
      .describe(
        'The greatest number of workers. Default: minReplicas, else the number of workers that the job began with.',
      )
      .exactOptional(),
    rdzvBackend: z.string().describe('The rendezvous backend: c10d, etcd or etcd-v2. Default c10d.').exactOptional(),
    rdzvPort: port().describe("The rendezvous port. Default: the worker's port pytorchjob-port.").exactOptional(),
    rdzvHost: z.string().describe('The rendezvous host. Default: worker 0.').exactOptional(),
    rdzvId: z.string().describe('The identifier that all workers of the job give at rendezvous.').exactOptional(),
    rdzvConf: z.array(rdzvConfEntry).max(64).describe('Further options of the rendezvous backend.').exactOptional(),
    standalone: z.boolean().describe('Each pod makes its own rendezvous and trains alone on its node.').exactOptional(),
    nProcPerNode: count().describe('Deprecated: use spec.nprocPerNode.').exactOptional(),
    maxRestarts: count().describe('How often torchrun restarts its worker processes before it fails.').exactOptional(),
    monitorInterval: withRules(
      z
        .number()
        .min(0)
        .max(86_400)
        .describe("Every how many seconds torchrun's agent looks after its processes, for example 0.5."),
      // The API server holds a whole number to the whole part of a least value alone.
      [{ cel: 'self > 0.0', holds: (self) => self > 0, message: 'must be more than 0 seconds' }],
    ).exactOptional(),
    startMethod: z
      .enum(START_METHODS)
      .describe(`How torchrun's agent starts its processes: ${START_METHODS.join(', ')}.`)
      .exactOptional(),
    fitToCapacity: fitToCapacitySchema
      .describe(
        'The job goes on with fewer workers, never fewer than minReplicas, where no node takes them or others have been preferred ' +
          'to them, and tries to have all again later. Default: pods wait.',
      )
      .exactOptional(),
    metrics: z
      .array(z.looseObject({ type: z.string().describe('Resource, Pods, Object, External or ContainerResource.') }))
      .describe(
        'With this list a HorizontalPodAutoscaler scales the workers between minReplicas and maxReplicas by these metrics, written as in autoscaling/v2.',
      )
      .exactOptional(),
  }),
  [
    {
      cel: '!has(self.minReplicas) || !has(self.maxReplicas) || self.minReplicas <= self.maxReplicas',
      holds: ({ minReplicas, maxReplicas }) =>
        minReplicas === undefined || maxReplicas === undefined || minReplicas <= maxReplicas,
      message: 'must not be greater than maxReplicas',
      at: ['minReplicas'],
    },
  ],
);

export type PyTorchElasticPolicy = z.output<typeof elasticPolicySchema>;
