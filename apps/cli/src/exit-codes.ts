/** Exit codes of the commands for jobs. docs/users/cli.md has the same table; a test compares them. */
export const EXIT_CODES = {
  done: { code: 0, when: 'The command succeeded. `wait` and `submit --wait`: the job reached the requested state.' },
  error: {
    code: 1,
    when: 'An error: the cluster does not answer or refuses the request, a manifest is invalid, or the kind does not support the command.',
  },
  usage: { code: 2, when: 'The command line is invalid.' },
  jobFailed: { code: 3, when: '`wait` and `submit --wait`: the job ended in another state than requested.' },
  timeout: { code: 4, when: '`--timeout` has expired. The job, or its deletion, continues.' },
  notFound: { code: 5, when: 'The job or replica does not exist, or its pods are deleted.' },
  ambiguous: { code: 6, when: 'Several jobs have that name. Use `kind/name`.' },
  forbidden: { code: 7, when: 'A permission is missing (RBAC): the API server does not allow the request.' },
  interrupted: { code: 130, when: 'Ctrl-C (143: SIGTERM). The job continues.' },
} as const;

export type Ending = keyof typeof EXIT_CODES;

/** The failure of a command. The message is for the user, in whole sentences. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  readonly exitCode: number;

  readonly #ending: Ending;

  constructor(ending: Ending, message: string) {
    super(message);
    this.#ending = ending;
    this.exitCode = EXIT_CODES[ending].code;
  }

  /** The same error with one more paragraph. */
  with(more: string): CommandError {
    return new CommandError(this.#ending, `${this.message}\n${more}`);
  }
}
