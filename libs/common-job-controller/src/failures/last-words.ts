const LONGEST = 300;

/** The end of what a container has said before it ended, which is where programs say why: at most 300 characters, whole lines if it can be. */
export function lastWords(message: string | undefined): string | undefined {
  const words = message?.trim() ?? '';
  if (words === '') return undefined;
  if (words.length <= LONGEST) return words;
  const end = words.slice(-LONGEST);
  const lineEnd = end.indexOf('\n');
  return `…${(lineEnd === -1 || lineEnd === end.length - 1 ? end : end.slice(lineEnd + 1)).trim()}`;
}
