/** The first page: which dashboards there are, and which operators they are about. */
import type { PageSettings } from '../model/page-settings.ts';
import { element } from './element.ts';
import { type ScrapeTarget, scrapeTargets } from './prometheus.ts';
import { themeButton } from './theme.ts';

const LOOK_EVERY_MS = 5000;

export function listPage({ dashboards }: PageSettings): HTMLElement {
  const cards = dashboards.map(({ uid, title, description }) =>
    element('a', { class: 'card', href: `/d/${uid}` }, element('h2', {}, title), element('p', {}, description)),
  );
  const targets = element('div');
  void keepShowing(targets);
  const header = element(
    'header',
    { class: 'top' },
    element('b', {}, 'Muster'),
    element('span', { class: 'space' }),
    themeButton(() => undefined),
  );
  return element(
    'div',
    { class: 'page' },
    header,
    element('div', { class: 'cards' }, ...cards),
    dashboards.length === 0 ? element('p', { class: 'nothing' }, 'No chart has a dashboard.') : undefined,
    element('h2', {}, 'Scraped'),
    targets,
  );
}

async function keepShowing(place: HTMLElement): Promise<void> {
  const shown = await scrapeTargets().then(targetTable, (error: unknown) =>
    element('p', { class: 'error', role: 'alert' }, error instanceof Error ? error.message : String(error)),
  );
  place.replaceChildren(shown);
  setTimeout(() => void keepShowing(place), LOOK_EVERY_MS);
}

function targetTable(targets: readonly ScrapeTarget[]): HTMLElement {
  if (targets.length === 0) return element('p', { class: 'nothing' }, 'No operator has been found yet.');
  const rows = targets.map(({ labels, health, lastError }) => {
    const { job = '', namespace = '', pod = '', instance = '' } = labels;
    return element(
      'tr',
      { 'data-health': health },
      ...[job, namespace, pod, instance, lastError || health].map((text) => element('td', {}, text)),
    );
  });
  const heads = ['Job', 'Namespace', 'Pod', 'Address', 'State'].map((text) => element('th', {}, text));
  const table = element('table', {}, element('thead', {}, element('tr', {}, ...heads)), element('tbody', {}, ...rows));
  return element('div', { class: 'table' }, table);
}
