/** What a panel shows: `drawn`, `empty` (no series with a value), `error`, or `loading` until its first answer. */
export type PanelState = 'loading' | 'drawn' | 'empty' | 'error';
