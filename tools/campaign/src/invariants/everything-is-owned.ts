import { controllerOf, firstOf, livesOf } from '../history/job-story.ts';
import type { Invariant } from './invariant.ts';

const NAME = 'everything-is-owned';

export const everythingIsOwned: Invariant = {
  name: NAME,
  statement:
    'Each pod, Service and Job that an operator creates names its job as the controller, so that it is removed with the job.',
  check({ changes, writes }) {
    const lives = livesOf(changes);
    return writes.flatMap(({ method, uid, replica, operatorVersion }) => {
      const life = method === 'POST' && uid !== undefined ? lives.get(uid) : undefined;
      if (life === undefined || !['pods', 'services', 'jobs'].includes(life.resource)) return [];
      if (controllerOf(firstOf(life).object) !== undefined) return [];
      return [
        {
          invariant: NAME,
          about: replica,
          message: `(${operatorVersion}) created ${life.resource} ${life.namespace}/${life.name} without a controller`,
        },
      ];
    });
  },
};
