/** Kubernetes' own objects within the specs of `ray.io/v1`: kept as they are written, and described as far as Muster reads them. */
import * as z from 'zod';

/** An object of Kubernetes that is none of Muster's business. */
export function kubernetesObject(description: string) {
  return z.looseObject({}).describe(description).exactOptional();
}

/** Environment variables, as a container has them. */
export function envVarsSchema() {
  return z.array(
    z.looseObject({
      name: z.string().describe('Name of the variable.'),
      value: z.string().describe('Its value; numbers and true/false have to be quoted.').exactOptional(),
    }),
  );
}
