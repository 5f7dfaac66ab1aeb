/**
 * Checks that comments, strings, pages and manifests keep to the vocabulary of CONTRIBUTING's section "Words": each avoided expression is
 * reported with its file, its line and what to write in its place. The target `words` runs it.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Avoided expressions, in any case and as whole words, each with what to write in its place. */
const AVOIDED: Readonly<Record<string, string>> = {
  'told|untold': 'reported, emitted, passed',
  '(is|are|was|were|be|been) asked': 'is requested, is queried',
  'asks (itself|each|the)': 'queries, reads',
  'nobody|somebody|whoever': 'the user, the operator, a pod, or the passive voice',
  'anew|remade': 'again, recreated',
  'stands?( (for|in|on|by|behind|beside|still))?': 'is, represents, remains',
  'in (its|their|our) (own )?words|has its words|last words|in words': 'message, output, text',
  'belongings|strays?': 'claims, released objects',
  'leftovers?': 'objects of an earlier job',
  unwritten: 'pending',
  patience: 'timeout',
  'verdicts?': 'result, rejection',
  'deciding rule': 'matched rule',
  'rivals?|rivalry': 'other controller, conflict',
  'mould|crew': 'template, fixture',
  'lets? go': 'releases',
  'look and mend': 'Diagnosis and Mitigation',
  'SizeChangeUntold|NothingTellsProgress|BegunByAnother': 'the present reason in libs/job-api/src/reasons.ts',
};

/**
 * Files that keep such a word: this list, the section that explains it, the page that maps old reasons to new ones, recordings, what other
 * projects wrote, and a lockfile.
 */
const EXCEPT = [
  'tools/verify/src/plain-words.ts',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'docs/administrators/migration.md',
  'package-lock.json',
];

const avoided = Object.entries(AVOIDED).map(([pattern, say]) => ({
  pattern: new RegExp(String.raw`(?<![\w-])(?:${pattern})(?![\w-])`, 'gi'),
  say,
}));

const files = execFileSync(
  'git',
  [
    'ls-files',
    '--',
    '*.ts',
    '*.mjs',
    '*.md',
    '*.yaml',
    '*.yml',
    '*.json',
    '*.tpl',
    '*.txt',
    '*.sh',
    '*.py',
    '*.svg',
    '*.template',
  ],
  {
    encoding: 'utf8',
  },
)
  .split('\n')
  .filter((file) => file !== '' && !EXCEPT.includes(file));

const problems = files.flatMap((file) =>
  readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((line, index) =>
      avoided.flatMap(({ pattern, say }) =>
        [...line.matchAll(pattern)].map(([found]) => `${file}:${index + 1}: "${found}": write ${say}`),
      ),
    ),
);
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;
