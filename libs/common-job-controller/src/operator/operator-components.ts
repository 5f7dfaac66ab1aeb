/** The components of an operator's `Lifecycle`. */
import type { Component, TermWork } from '@muster/controller';
import type { KubeObject, Resource } from '@muster/job-api';
import type { Informer } from '@muster/kube';

/**
 * Starts all informers at the same time, so that one that cannot sync does not keep others from reporting that they
 * can.
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

/** Does not wait for the watch, because the elector also reads the Lease itself. */
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
