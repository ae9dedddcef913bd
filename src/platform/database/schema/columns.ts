import { customType, timestamp } from 'drizzle-orm/pg-core'

/** A moment, to the millisecond. */
export const instant = (name: string) => timestamp(name, { withTimezone: true, precision: 3, mode: 'date' })

/** A transaction of PostgreSQL's, in decimal: `pg_current_xact_id()`. Later ones have higher numbers. */
export const transactionId = customType<{ data: string }>({ dataType: () => 'xid8' })

/** How a satellite looks in mails and on the page that logs people in for it. */
export interface Branding {
  readonly name: string
  /** `https`; null for none. */
  readonly logoUrl: string | null
  /** Of buttons and links, such as `#1d4ed8`. */
  readonly accent: string
  readonly background: string
}

/** Whom an account lets log in on satellites only by hand-off from the main site. */
export const HANDOFF_REQUIREMENTS = ['none', 'owners', 'everyone'] as const
export type HandoffRequirement = (typeof HANDOFF_REQUIREMENTS)[number]

export const SECOND_FACTOR_REQUIREMENTS = ['off', 'payments', 'managers', 'everyone'] as const
/**
 * Who in an account must have a second factor: who may pay (`payments`), who may pay or manage the account or
 * its team (`managers`), `everyone`, or none.
 */
export type SecondFactorRequirement = (typeof SECOND_FACTOR_REQUIREMENTS)[number]
