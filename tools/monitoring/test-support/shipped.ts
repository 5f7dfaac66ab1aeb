/** Dashboards and alerts in the files of the charts. */
import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parse } from 'yaml';

const CHARTS = join(import.meta.dirname, '../../../charts');

/** The fields that tests read. */
export interface ShippedDashboard {
  readonly title: string;
  readonly uid: string;
  readonly templating: { readonly list: readonly ShippedVariable[] };
  readonly panels: readonly ShippedPanel[];
}

export interface ShippedVariable {
  readonly type: string;
  readonly name: string;
  readonly query: string | { readonly query: string };
}

export interface ShippedPanel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly description?: string;
  readonly datasource?: { readonly uid: string };
  readonly gridPos: Readonly<Record<'x' | 'y' | 'w' | 'h', number>>;
  readonly fieldConfig?: {
    readonly defaults: { readonly unit?: string; readonly custom?: unknown };
    readonly overrides?: readonly {
      readonly matcher: { readonly options: string };
      readonly properties: readonly { readonly id: string; readonly value: unknown }[];
    }[];
  };
  readonly options?: unknown;
  readonly transformations?: readonly { readonly id: string; readonly options: unknown }[];
  readonly targets?: readonly {
    readonly expr: string;
    readonly legendFormat: string;
    readonly datasource: { readonly uid: string };
  }[];
}

export interface ShippedAlert {
  readonly name: string;
  readonly expr: string;
  readonly summary: string;
  readonly description: string;
  readonly needs?: string;
}

/** By `<framework>/<file>`. */
export function shippedDashboards(): [name: string, dashboard: ShippedDashboard][] {
  return globSync('*/files/dashboards/*.json', { cwd: CHARTS })
    .toSorted()
    .map((file) => [
      `${frameworkOf(file)}/${basename(file)}`,
      JSON.parse(readFileSync(join(CHARTS, file), 'utf8')) as ShippedDashboard,
    ]);
}

/** By framework. */
export function shippedAlerts(): [framework: string, alerts: readonly ShippedAlert[]][] {
  return globSync('*/files/alerts.yaml', { cwd: CHARTS })
    .toSorted()
    .map((file) => {
      const { alerts } = parse(readFileSync(join(CHARTS, file), 'utf8')) as { alerts: readonly ShippedAlert[] };
      return [frameworkOf(file), alerts];
    });
}

function frameworkOf(file: string): string {
  return file.split('/')[0] ?? '';
}
