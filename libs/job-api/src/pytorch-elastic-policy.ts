/**
 * Number of workers of an elastic PyTorchJob, and their rendezvous. The fields become options of torchrun; the rules
 * reject early what torchrun would reject after all pods have started.
 */
import * as z from 'zod';
import { BOUNDS_IN_ORDER, elasticBoundFields, elasticMetricsField } from './elastic-size.ts';
import { withRules } from './rule.ts';
import { count, port } from './scalars.ts';

const rdzvConfEntry = withRules(
  z.object({
    key: z.string().max(256).describe('Name of the option.'),
    value: z.string().max(1024).describe('Value of the option.'),
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
    .describe('Seconds that a worker may be unschedulable before the job continues without it. Default 60.')
    .exactOptional(),
  retrySeconds: seconds(1)
    .describe(
      'Seconds until the job tries to run all workers again. Doubles after each failed attempt, up to an hour. ' +
        'Default 300.',
    )
    .exactOptional(),
});

export const elasticPolicySchema = withRules(
  z.object({
    ...elasticBoundFields,
    rdzvBackend: z.string().describe('Rendezvous backend: c10d, etcd or etcd-v2. Default c10d.').exactOptional(),
    rdzvPort: port().describe('Rendezvous port. Default: the port pytorchjob-port of the worker.').exactOptional(),
    rdzvHost: z.string().describe('Rendezvous host. Default: worker 0.').exactOptional(),
    rdzvId: z.string().describe('Identifier of the job at the rendezvous, the same for all workers.').exactOptional(),
    rdzvConf: z.array(rdzvConfEntry).max(64).describe('Further options of the rendezvous backend.').exactOptional(),
    standalone: z
      .boolean()
      .describe('True: each pod has its own rendezvous and trains alone on its node. Default false.')
      .exactOptional(),
    nProcPerNode: count().describe('Deprecated: use spec.nprocPerNode.').exactOptional(),
    maxRestarts: count()
      .describe('How often torchrun restarts its worker processes before it fails. Default 0.')
      .exactOptional(),
    monitorInterval: withRules(
      z
        .number()
        .min(0)
        .max(86_400)
        .describe("Interval in seconds at which torchrun's agent checks its processes, for example 0.5."),
      // The API server compares integers only with the integer part of a minimum.
      [{ cel: 'self > 0.0', holds: (self) => self > 0, message: 'must be more than 0 seconds' }],
    ).exactOptional(),
    startMethod: z
      .enum(START_METHODS)
      .describe(`How torchrun's agent starts its processes: ${START_METHODS.join(', ')}.`)
      .exactOptional(),
    fitToCapacity: fitToCapacitySchema
      .describe(
        'The job continues with fewer workers, but at least minReplicas, if workers are unschedulable or ' +
          'preempted, and later tries to run all again. Default: pods wait.',
      )
      .exactOptional(),
    ...elasticMetricsField,
  }),
  [BOUNDS_IN_ORDER],
);

export type PyTorchElasticPolicy = z.output<typeof elasticPolicySchema>;
