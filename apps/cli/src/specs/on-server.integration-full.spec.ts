/** Dozens of manifests of each kind on a real API server, with the operators of all frameworks. */
import { describeOnServer } from '../../test-support/specs/describe-on-server.ts';

await describeOnServer({ seed: 2, validated: 40, run: 10 });
