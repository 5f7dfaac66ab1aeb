import type { Component, TermWork } from '@muster/controller';
import type { KubeObject, Resource } from '@muster/job-api';
import type { Informer } from '@muster/kube';

/**
 * Starts all at once, so that one that cannot sync does not keep others from reporting that they can.
 *
 * @param mayBeAbsent resources that the cluster may not serve; jobs that need them wait
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

/** The elector also reads the Lease itself, so nothing waits for the watch. */
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
