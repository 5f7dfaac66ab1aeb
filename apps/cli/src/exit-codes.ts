/** How the commands that work with jobs end, for scripts. docs/users/cli.md has the same table; a test compares them. */
export const EXIT_CODES = {
  done: { code: 0, when: 'It is done; `wait` and `submit --wait`: the job is as it was waited for.' },
  error: {
    code: 1,
    when: 'Something went wrong: the cluster does not answer, or refuses; a manifest is wrong; a kind cannot do what is asked.',
  },
  usage: { code: 2, when: 'The command line itself is wrong.' },
  jobFailed: { code: 3, when: '`wait` and `submit --wait`: the job has ended otherwise than was waited for.' },
  timeout: { code: 4, when: '`--timeout` is over. The job, or its deletion, goes on.' },
  notFound: { code: 5, when: 'There is no such job, no such replica, or its pods are gone.' },
  ambiguous: { code: 6, when: 'Several jobs have that name: say `kind/name`.' },
  forbidden: { code: 7, when: 'You lack a right (RBAC): the API server does not allow the request.' },
  interrupted: { code: 130, when: 'Ctrl-C (143: SIGTERM). The job goes on.' },
} as const;

export type Ending = keyof typeof EXIT_CODES;

/** What a command ends with that has not done what it was asked. The message is for the user, in whole sentences. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  readonly exitCode: number;

  readonly #ending: Ending;

  constructor(ending: Ending, message: string) {
    super(message);
    this.#ending = ending;
    this.exitCode = EXIT_CODES[ending].code;
  }

  /** The same, with one more paragraph. */
  with(more: string): CommandError {
    return new CommandError(this.#ending, `${this.message}\n${more}`);
  }
}
