/**
 * The part of Grafana's classic dashboard JSON that the page draws. `unsupported-parts.ts` finds other parts, which are ignored.
 */
export interface Dashboard {
  readonly uid: string;
  readonly title: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly time?: { readonly from: string; readonly to: string };
  /** Such as `30s`; empty: no refresh. */
  readonly refresh?: string;
  readonly templating?: { readonly list?: readonly Variable[] };
  readonly panels?: readonly Panel[];
}

export interface Variable {
  readonly name: string;
  readonly type: string;
  readonly label?: string | null;
  readonly description?: string | null;
  /** 0: shown with its label, 1: without, 2: not shown. */
  readonly hide?: number;
  readonly query?: string | { readonly query?: string };
  readonly regex?: string;
  readonly multi?: boolean;
  readonly includeAll?: boolean;
  readonly allValue?: string | null;
  /** 0: unsorted; ascending and descending: alphabetical (1, 2), numerical (3, 4), case-insensitive (5, 6), natural (7, 8). */
  readonly sort?: number;
  readonly current?: { readonly value?: string | readonly string[] };
  readonly options?: readonly { readonly value?: string | readonly string[] }[];
}

export interface GridPosition {
  readonly x: number;
  readonly y: number;
  /** In 24 columns. */
  readonly w: number;
  /** In rows of 30 pixels and 8 between them. */
  readonly h: number;
}

export interface Panel {
  readonly id?: number;
  readonly type: string;
  readonly title?: string;
  readonly description?: string;
  readonly gridPos?: GridPosition;
  readonly targets?: readonly Target[];
  readonly fieldConfig?: { readonly defaults?: FieldConfig; readonly overrides?: readonly FieldOverride[] };
  readonly options?: PanelOptions;
  readonly transformations?: readonly Transformation[];
  readonly interval?: string;
  /** Panels of a collapsed row. */
  readonly panels?: readonly Panel[];
  readonly collapsed?: boolean;
}

export interface Target {
  readonly refId?: string;
  readonly expr?: string;
  readonly legendFormat?: string;
  readonly format?: string;
  readonly instant?: boolean;
  readonly hide?: boolean;
  readonly interval?: string;
}

export interface FieldConfig {
  readonly displayName?: string;
  readonly unit?: string;
  readonly decimals?: number | null;
  readonly min?: number | null;
  readonly max?: number | null;
  readonly noValue?: string;
  readonly color?: { readonly mode?: string; readonly fixedColor?: string };
  readonly mappings?: readonly ValueMapping[];
  readonly thresholds?: { readonly mode?: string; readonly steps?: readonly ThresholdStep[] };
  readonly links?: readonly DataLink[];
  readonly custom?: CustomFieldConfig;
}

export interface CustomFieldConfig {
  readonly drawStyle?: string;
  readonly lineInterpolation?: string;
  readonly lineWidth?: number;
  readonly lineStyle?: { readonly fill?: string; readonly dash?: readonly number[] };
  readonly fillOpacity?: number;
  readonly stacking?: { readonly mode?: string };
  readonly thresholdsStyle?: { readonly mode?: string };
  readonly axisSoftMin?: number;
  readonly axisSoftMax?: number;
  readonly axisLabel?: string;
  readonly hideFrom?: { readonly viz?: boolean; readonly legend?: boolean };
  readonly hidden?: boolean;
  readonly width?: number;
  readonly align?: string;
  readonly cellOptions?: { readonly type?: string; readonly mode?: string };
}

export interface FieldOverride {
  readonly matcher: { readonly id: string; readonly options?: unknown };
  readonly properties: readonly { readonly id: string; readonly value?: unknown }[];
}

export interface ThresholdStep {
  readonly color: string;
  /** null for the first step, which has no lower bound. */
  readonly value?: number | null;
}

export interface MappingResult {
  readonly text?: string;
  readonly color?: string;
}

export interface ValueMapping {
  readonly type: string;
  readonly options?: unknown;
}

export interface DataLink {
  readonly title?: string;
  readonly url: string;
}

export interface PanelOptions {
  readonly content?: string;
  readonly mode?: string;
  readonly legend?: {
    readonly showLegend?: boolean;
    readonly displayMode?: string;
    readonly placement?: string;
    readonly calcs?: readonly string[];
  };
  readonly tooltip?: { readonly mode?: string };
  readonly reduceOptions?: { readonly calcs?: readonly string[]; readonly values?: boolean };
  readonly colorMode?: string;
  readonly graphMode?: string;
  readonly textMode?: string;
  readonly orientation?: string;
  readonly displayMode?: string;
  readonly sortBy?: readonly { readonly displayName?: string; readonly desc?: boolean }[];
  readonly [option: string]: unknown;
}

export interface Transformation {
  readonly id: string;
  readonly options?: unknown;
  readonly disabled?: boolean;
}
