/** The parts of an operator as its `Lifecycle` starts and stops them. */
import type { Component, TermWork } from '@muster/controller';
import type { KubeObject, Resource } from '@muster/job-api';
import type { Informer } from '@muster/kube';

/**
 * All at once: one that cannot sync must not keep the others from showing that they can.
 *
 * @param mayBeAbsent what a cluster may lack: the operator works without, and jobs that need it wait
 */
export function informersComponent(
  informers: readonly Informer<KubeObject>[],
  mayBeAbsent: ReadonlySet<Resource>,
): Component {
  return {
    name: 'informers',
    async start(signal) {
      for (const informer of informers) informer.start();
      await Promise.all(
        informers.map((informer) =>
          mayBeAbsent.has(informer.resource) ? informer.waitForAnswer(signal) : informer.waitForSync(signal),
        ),
      );
    },
    async stop() {
      await Promise.all(informers.map((informer) => informer.stop()));
    },
  };
}

/** The elector reads the Lease itself as well, so nothing waits for this watch. */
export function unsyncedComponent(informer: Informer<KubeObject>): Component {
  return {
    name: `informer of ${informer.resource.plural}`,
    start: () => informer.start(),
    stop: () => informer.stop(),
  };
}

export function workComponent(work: TermWork): Component {
  return { name: 'work', start: () => work.start(), stop: (deadlineMs) => work.stop(deadlineMs) };
}
