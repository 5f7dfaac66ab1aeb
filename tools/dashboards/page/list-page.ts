/** The first page: dashboards and scraped operators. */
import type { PageSettings } from '../model/page-settings.ts';
import { element } from './element.ts';
import { installedDashboards } from './installed-dashboards.ts';
import { type ScrapeTarget, scrapeTargets } from './prometheus.ts';
import { themeButton } from './theme.ts';

const LOOK_EVERY_MS = 5000;

export function listPage({ dashboards }: PageSettings): HTMLElement {
  const cards = element('div', { class: 'cards' });
  const targets = element('div');
  void keepShowing(dashboards, cards, targets);
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
    cards,
    dashboards.length === 0 ? element('p', { class: 'nothing' }, 'No dashboards found in the charts.') : undefined,
    element('h2', {}, 'Scraped operators'),
    targets,
  );
}

/** Replaces the cards only if they change, because the user may be about to click on one. */
async function keepShowing(
  dashboards: PageSettings['dashboards'],
  cards: HTMLElement,
  place: HTMLElement,
): Promise<void> {
  const installed = await installedDashboards(dashboards);
  if (installed.length !== cards.children.length) cards.replaceChildren(...installed.map(card));

  const shown = await scrapeTargets().then(targetTable, (error: unknown) =>
    element('p', { class: 'error', role: 'alert' }, error instanceof Error ? error.message : String(error)),
  );
  place.replaceChildren(shown);
  setTimeout(() => void keepShowing(dashboards, cards, place), LOOK_EVERY_MS);
}

function card({ uid, title, description }: PageSettings['dashboards'][number]): HTMLElement {
  return element('a', { class: 'card', href: `/d/${uid}` }, element('h2', {}, title), element('p', {}, description));
}

function targetTable(targets: readonly ScrapeTarget[]): HTMLElement {
  if (targets.length === 0) return element('p', { class: 'nothing' }, 'No operators found yet.');
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
