/**
 * Checks JSON against the types of Grafana (`@grafana/schema`). TypeScript checks it as a literal, so unknown fields are found,
 * too. All fields are optional, because Grafana has defaults.
 */
import { join } from 'node:path';
import ts from 'typescript';
import type { ShippedDashboard } from './shipped.ts';

/** Folders of panel types in `@grafana/schema`. */
const PANELS = ['bargauge', 'heatmap', 'stat', 'statetimeline', 'table', 'text', 'timeseries'];

const FILE = join(import.meta.dirname, 'dashboards-as-literals.ts');

const HEAD = `
import type { Dashboard, Panel, RowPanel, VariableModel } from '@grafana/schema';
${PANELS.map((type) => `import type * as ${type} from '${panelModule(type)}';`).join('\n')}
type IsAny<T> = 0 extends 1 & T ? true : false;
/** Enums as in JSON; all fields optional. */
type Json<T> = IsAny<T> extends true ? unknown
  : T extends string ? \`\${T}\`
  : T extends number | boolean | null | undefined ? T
  : T extends readonly (infer E)[] ? readonly Json<E>[]
  : T extends object ? { readonly [K in keyof T]?: Json<T[K]> } : T;
type FieldConfigOf<M> = M extends { FieldConfig: infer F } ? F : unknown;
`;

/** One line for each type error. */
export function grafanaTypeProblems(dashboards: readonly ShippedDashboard[]): string[] {
  const source = HEAD + dashboards.map((dashboard, index) => literalOf(dashboard, index)).join('\n');
  const options: ts.CompilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.NodeNext,
    types: [],
  };
  const onDisk = ts.createCompilerHost(options);
  const host: ts.CompilerHost = {
    ...onDisk,
    getSourceFile: (name, ...rest) =>
      name === FILE ? ts.createSourceFile(name, source, ts.ScriptTarget.ES2022) : onDisk.getSourceFile(name, ...rest),
    fileExists: (name) => name === FILE || onDisk.fileExists(name),
    readFile: (name) => (name === FILE ? source : onDisk.readFile(name)),
  };
  const program = ts.createProgram([FILE], options, host);
  return ts.getPreEmitDiagnostics(program).map(({ messageText, start = 0 }) => {
    const line = source.slice(0, start).split('\n').length;
    return `${source.split('\n')[line - 1]?.trim() ?? ''}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`;
  });
}

/** The dashboard, and the parts of each panel that have types of their own. */
function literalOf(dashboard: ShippedDashboard, index: number): string {
  const panels = dashboard.panels.flatMap(({ type, id, options, fieldConfig }) => {
    if (type === 'row') return [];
    const module = panelName(type);
    if (!PANELS.includes(module)) return [`const panel${index}_${id}: never = '${type}';`];
    return [
      `const options${index}_${id}: Json<${module}.Options> = ${JSON.stringify(options ?? {}, undefined, 1)};`,
      ...(fieldConfig?.defaults.custom === undefined || module === 'stat' || module === 'bargauge'
        ? []
        : [
            `const custom${index}_${id}: Json<${module}.FieldConfig> = ${JSON.stringify(fieldConfig.defaults.custom, undefined, 1)};`,
          ]),
    ];
  });
  const { panels: all, templating, ...rest } = dashboard;
  return [
    `const dashboard${index}: Json<Omit<Dashboard, 'panels' | 'templating'>> = ${JSON.stringify(rest, undefined, 1)};`,
    `const variables${index}: readonly Json<VariableModel>[] = ${JSON.stringify(templating.list, undefined, 1)};`,
    ...all.map(
      (panel, at) =>
        `const panel${index}_${at}: Json<${panel.type === 'row' ? 'RowPanel' : 'Panel'}> = ${JSON.stringify(panel, undefined, 1)};`,
    ),
    ...panels,
  ].join('\n');
}

function panelName(type: string): string {
  return type.replaceAll('-', '');
}

function panelModule(type: string): string {
  const names: Readonly<Record<string, string>> = {
    bargauge: 'BarGauge',
    statetimeline: 'StateTimeline',
    timeseries: 'TimeSeries',
  };
  const name = names[type] ?? type.charAt(0).toUpperCase() + type.slice(1);
  return `@grafana/schema/dist/esm/raw/composable/${type}/panelcfg/x/${name}PanelCfg_types.gen`;
}
