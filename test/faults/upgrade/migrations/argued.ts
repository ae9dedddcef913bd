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
  {
    in: '0018_audit_partitions',
    statement: 'CREATE OR REPLACE FUNCTION refuse_change()',
    because: 'It refuses what it refused, and names the whole table when told to; triggers that are there tell it nothing.',
  },
  {
    in: '0018_audit_partitions',
    statement: 'DROP TRIGGER audit_chain_append_only',
    because: 'The next statement makes it again, in the same transaction.',
  },
  {
    in: '0018_audit_partitions',
    statement: 'CREATE TRIGGER audit_chain_append_only',
    because: 'It refuses all that it refused but seals whose rows retention has removed, which the release before never does.',
  },
  {
    in: '0018_audit_partitions',
    statement: 'DO $$',
    because:
      'It partitions an empty log alone, where no release has run before. A log with rows is partitioned by a job, and is written to as before.',
  },
  {
    in: '0019_team_and_queue_indexes',
    statement: 'CREATE INDEX IF NOT EXISTS "users_account_created"',
    because:
      'The release before reads and writes users as ever. Where there are millions, the operator builds it before, as docs/upgrading.md says.',
  },
  {
    in: '0019_team_and_queue_indexes',
    statement: 'DROP INDEX "users_account"',
    because:
      'No statement names it, and the new index begins with its column, so the release before finds the users of an account by that. It is dropped in milliseconds.',
  },
  {
    in: '0019_team_and_queue_indexes',
    statement: 'CREATE INDEX IF NOT EXISTS "billing_work_failed"',
    because: 'It holds the customers whose look failed, of a table that holds only those who wait: neither is long for long.',
  },
  {
    in: '0020_operators',
    statement: 'CREATE INDEX IF NOT EXISTS "accounts_name_prefix"',
    because:
      'The release before reads and writes accounts as ever. Where there are millions, the operator builds it before, as docs/upgrading.md says.',
  },
  {
    in: '0020_operators',
    statement: 'CREATE INDEX IF NOT EXISTS "users_email_prefix"',
    because: 'As the one above, of users.',
  },
  {
    in: '0022_operator-lists',
    statement: 'CREATE INDEX IF NOT EXISTS "audit_log_operator"',
    because:
      'The release before reads and writes the log as ever. It holds the rows of operators alone; where the log is long, the operator builds it before, as docs/upgrading.md says.',
  },
  {
    in: '0022_operator-lists',
    statement: 'CREATE INDEX IF NOT EXISTS "satellites_created"',
    because: 'The release before reads and writes satellites as ever. There are some hundred thousand at most, which change rarely.',
  },
  {
    in: '0022_operator-lists',
    statement: 'CREATE INDEX IF NOT EXISTS "satellites_origin_prefix"',
    because: 'As the one above.',
  },
  {
    in: '0025_oldest_event',
    statement: 'CREATE INDEX IF NOT EXISTS "provider_events_oldest"',
    because:
      'It holds the events that wait, which are few. Building it reads the events of the retention once, while webhooks wait and are sent again; where there are millions, the operator builds it before, as docs/upgrading.md says.',
  },
]
