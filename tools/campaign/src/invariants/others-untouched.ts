import { firstOf, livesOf } from '../history/job-story.ts';
import type { Invariant } from './invariant.ts';

/** The label of objects that the campaign creates beside the jobs, some with names that jobs would use. */
export const FOREIGN_LABEL = 'campaign.muster.dev/foreign';

/** The label's value while the campaign itself deletes the object. */
export const RELEASED = 'released';

const NAME = 'others-untouched';

export const othersUntouched: Invariant = {
  name: NAME,
  statement: 'Objects of others, also with the name of an object of a job, are neither changed nor deleted.',
  check({ changes }) {
    const namespaces = new Set(
      changes
        .filter(({ resource, after }) => resource === 'namespaces' && after?.metadata?.deletionTimestamp !== undefined)
        .map(({ name }) => name),
    );
    return [...livesOf(changes).values()].flatMap((life) => {
      const { labels = {} } = firstOf(life).object.metadata ?? {};
      // Kubernetes copies the labels to endpoints, which it changes and removes itself.
      if (life.resource !== 'services') return [];
      // A namespace takes its objects with it; the campaign marks what it deletes itself.
      if (labels[FOREIGN_LABEL] === undefined || namespaces.has(life.namespace)) return [];
      const later = life.versions
        .slice(1)
        .filter(({ object }) => object.metadata?.labels?.[FOREIGN_LABEL] !== RELEASED);
      const isReleased = life.versions.at(-1)?.object.metadata?.labels?.[FOREIGN_LABEL] === RELEASED;
      if (later.length === 0 && (life.gone === undefined || isReleased)) return [];
      const message = later.length > 0 ? `was changed at revision ${later[0]?.revision}` : 'was deleted';
      return [{ invariant: NAME, about: `${life.resource} ${life.namespace}/${life.name}`, message }];
    });
  },
};
