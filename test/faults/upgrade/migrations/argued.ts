/** A statement that may not be made without a reason: how it begins, and why it is right all the same. */
interface Argued {
  /** The migration. */
  readonly in: string
  readonly statement: string
  readonly because: string
}

/** Those of migrations that are out already go when the next release is kept. */
export const ARGUED: readonly Argued[] = [
  {
    in: '0017_second_factors',
    statement: 'CREATE INDEX "accounts_second_factor"',
    because:
      'It is partial, of a column that no account has set yet: PostgreSQL reads the accounts once, a second for some millions, and they change rarely.',
  },
  {
    in: '0017_second_factors',
    statement: 'CREATE TRIGGER "users_must_enrol"',
    because:
      'It sets a column that the release before does not know, from the account by its primary key, and refuses nothing. It is there so that rows of the release before are right too.',
  },
]
