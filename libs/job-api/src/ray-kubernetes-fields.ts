/** Kubernetes objects in specs of `ray.io/v1`: kept as written, and described only as far as Muster reads them. */
import * as z from 'zod';

/** A Kubernetes object that Muster does not read. */
export function kubernetesObject(description: string) {
  return z.looseObject({}).describe(description).exactOptional();
}

/** Environment variables, as a container has them. */
export function envVarsSchema() {
  return z.array(
    z.looseObject({
      name: z.string().describe('Name of the variable.'),
      value: z.string().describe('Value of the variable. Put numbers, true and false in quotes.').exactOptional(),
    }),
  );
}

/** Spec of a Service that overrides the defaults. Muster adds its ports to the list. */
export function serviceSpecSchema(description: string) {
  return z
    .looseObject({
      ports: z.array(z.looseObject({})).describe('Ports of the Service, before those of Muster.').exactOptional(),
    })
    .describe(description)
    .exactOptional();
}
