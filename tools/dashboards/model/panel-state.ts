/** `empty`: no series has a value. `loading`: until the first response. */
export type PanelState = 'loading' | 'drawn' | 'empty' | 'error';
