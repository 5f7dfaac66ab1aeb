/**
 * Pod templates, described only as far as Muster reads them: containers with their names, images, ports and
 * environment. For other fields that Muster reads, only the type is checked. The rest is kept as written, and
 * validated by the API server when pods are created.
 *
 * A full description would make each CRD larger than `kubectl apply` can store (256 KiB).
 */
import * as z from 'zod';
import type { PodTemplateSpec } from './kubernetes.ts';
import { withRules, type Rule } from './rule.ts';
import { port } from './scalars.ts';

/** The API server needs bounds to estimate the cost of rules. */
const MOST_CONTAINERS = 64;

const MOST_VARIABLES = 10_000;

/** A list of Kubernetes objects that are not described further. */
function listOfObjects(description: string) {
  return z.array(z.looseObject({})).describe(description).exactOptional();
}

const envVar = z.looseObject({
  name: z.string().describe('Name of the variable.'),
  value: z.string().describe('Value of the variable. Put numbers, true and false in quotes.').exactOptional(),
});

const containerPort = z.looseObject({
  name: z.string().describe('Name of the port, unique within the pod.').exactOptional(),
  containerPort: port().describe('Port that the container listens on.'),
  hostPort: z.int32().min(0).max(65_535).describe('Port on the node; 0 for none.').exactOptional(),
  protocol: z.string().describe('TCP, UDP or SCTP. Default TCP.').exactOptional(),
});

const container = withRules(
  z.looseObject({
    name: z.string().describe('Name of the container, unique within the pod.'),
    image: z.string().describe('Image of the container. Required.').exactOptional(),
    command: z.array(z.string()).describe("Replaces the image's entrypoint.").exactOptional(),
    args: z.array(z.string()).describe('Arguments of the command.').exactOptional(),
    env: z
      .array(envVar)
      .max(MOST_VARIABLES)
      .describe('Environment variables. Muster adds its own, and never replaces one that is set here.')
      .exactOptional(),
    ports: z.array(containerPort).describe('Ports that the container listens on.').exactOptional(),
    resources: z.looseObject({}).describe('Resource requests and limits.').exactOptional(),
    volumeMounts: listOfObjects('Where volumes of the pod are mounted.'),
    securityContext: z.looseObject({}).describe('Security context of the container.').exactOptional(),
  }),
  [
    {
      cel: 'has(self.image) && self.image.size() > 0',
      holds: (self) => self.image !== undefined && self.image !== '',
      message: 'name the image that this container runs',
      reason: 'FieldValueRequired',
      at: ['image'],
    },
  ],
);

/** Schema of a single container that is not in a job. */
export const CONTAINER: { readonly schema: z.ZodType } = { schema: container };

type Containers = z.output<typeof container>[];

function containersSchema(description: string, mainIsThere: Rule<Containers>) {
  return withRules(z.array(container).max(MOST_CONTAINERS).describe(`Containers of the pod. ${description}`), [
    mainIsThere,
  ]);
}

function namedContainers(mainContainer: string) {
  return containersSchema(`One of them must be named ${mainContainer}.`, {
    cel: `self.exists(c, c.name == '${mainContainer}')`,
    holds: (self) => self.some(({ name }) => name === mainContainer),
    message: `a container named ${mainContainer} is needed: it runs the training, and its exit code decides the outcome`,
    reason: 'FieldValueRequired',
  });
}

const anyContainers = () =>
  containersSchema('The first one is the main container, whatever its name.', {
    cel: 'self.size() > 0',
    holds: (self) => self.length > 0,
    message: 'a container is needed: the first one does the work, and its exit code decides the outcome',
    reason: 'FieldValueRequired',
  });

/** Pod template whose main container is named `mainContainer`, or else the first one. */
export function podTemplateSchema(mainContainer?: string): z.ZodType<PodTemplateSpec> {
  return templateOf(mainContainer === undefined ? anyContainers() : namedContainers(mainContainer));
}

/** Pod template whose main container is the first one, and whose own restart policy applies. */
export function podTemplateWithRestartPolicySchema(): z.ZodType<PodTemplateSpec> {
  const restartPolicy = z
    .enum(['Always', 'OnFailure', 'Never', ''])
    .describe('Whether containers that have ended are restarted: Always, OnFailure or Never. Default Always.')
    .exactOptional();
  return templateOf(anyContainers(), { restartPolicy });
}

function templateOf(containers: z.ZodType<Containers>, further: z.ZodRawShape = {}): z.ZodType<PodTemplateSpec> {
  const template = z.looseObject({
    metadata: z
      .looseObject({
        labels: z
          .record(z.string(), z.string())
          .describe('Labels of the pods, in addition to those that Muster sets.')
          .exactOptional(),
        annotations: z.record(z.string(), z.string()).describe('Annotations of the pods.').exactOptional(),
      })
      .describe('Labels and annotations of the pods.')
      .exactOptional(),
    spec: z
      .looseObject({
        containers,
        initContainers: z
          .array(container)
          .max(MOST_CONTAINERS)
          .describe('Containers that run to completion, one after the other, before the others start.')
          .exactOptional(),
        volumes: listOfObjects('Volumes that containers mount.'),
        tolerations: listOfObjects('Node taints that the pods tolerate.'),
        imagePullSecrets: listOfObjects('Secrets for pulling images.'),
        nodeSelector: z
          .record(z.string(), z.string())
          .describe('Labels that a node must have to run the pods.')
          .exactOptional(),
        dnsConfig: z
          .looseObject({ searches: z.array(z.string()).describe('DNS search domains.').exactOptional() })
          .describe('DNS configuration of the pods. Muster adds a search domain.')
          .exactOptional(),
        ...further,
      })
      .describe(
        'Pod spec, as in Kubernetes. Only fields that Muster reads are described and validated here. Other ' +
          'fields are kept as written, and validated when the pods are created.',
      ),
  });
  // The schema describes only part of a pod template; the type is Kubernetes' own.
  return template as z.ZodType as z.ZodType<PodTemplateSpec>;
}
