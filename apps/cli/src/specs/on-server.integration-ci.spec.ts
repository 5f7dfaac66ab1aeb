/** A sample of each kind; `on-server.integration-full.spec.ts` has more. */
import { describeOnServer } from '../../test-support/specs/describe-on-server.ts';

await describeOnServer({ seed: 1, validated: 5, run: 1 });
