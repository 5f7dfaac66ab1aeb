/** Rights that no test makes use of, and why the charts give them all the same. */

/** By framework, then by the right's words (`patch pods`). */
export const UNUSED_ON_PURPOSE: Readonly<Record<string, Readonly<Record<string, string>>>> = {};
