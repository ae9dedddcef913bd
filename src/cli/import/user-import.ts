import type { INestApplicationContext } from '@nestjs/common'
import pLimit from 'p-limit'
import { pluralize } from '../../platform/log.js'
import { type Line, linesOf } from './export-records.js'
import { type RefusedLine, rehearseBatch, writeBatch } from './import-batch.js'
import { LineFault, type NumberedUser, readImportedUser, without } from './imported-user.js'

export interface ImportCounts {
  /** Lines that were read; empty ones are not counted. */
  readonly lines: number
  readonly added: number
  readonly alreadyThere: number
  readonly faults: number
}

/** An account, and the customer that it has at the payment provider already. */
export interface PaidAccount {
  readonly accountId: string
  readonly customerId: string
}

/** Both return why not, worded for the operator; null when it can be, or is done. Safe to repeat. */
export interface ImportedCustomers {
  objection(paid: PaidAccount): Promise<string | null>
  link(paid: PaidAccount): Promise<string | null>
}

/** Larger batches are not faster, and take more memory. */
const USERS_A_BATCH = 100
const TELL_EVERY_LINES = 5_000
/** A user takes less than 1 KB; an endless line must not fill the memory. */
const MAX_LINE_BYTES = 16 * 1024
/** The payment provider takes some 25 requests a second in its test mode, and one takes three. */
const CUSTOMERS_AT_ONCE = 4

/**
 * Imports users from another system with their password hashes, one JSON object per line.
 *
 * Reads as a stream and holds one batch at a time. Calls `report` with a sentence for each faulty line, which
 * is skipped, and with the progress from time to time. When it throws, what it has reported as done is
 * done; running it again continues, because existing users are left alone. A dry run adds no user and
 * reports the same; it keeps the e-mail addresses and accounts of the file in memory.
 *
 * Accounts are linked to their customers when the whole file has been read, because the number of seats is sent to
 * the provider then. Keeps these in memory. Without `customers`, lines that have one are at fault.
 */
export async function importUsers(
  app: INestApplicationContext,
  source: AsyncIterable<Uint8Array>,
  report: (sentence: string) => void,
  { isDryRun = false, customers }: { isDryRun?: boolean; customers?: ImportedCustomers } = {},
): Promise<ImportCounts> {
  const counts = { lines: 0, added: 0, alreadyThere: 0, faults: 0 }
  const onFault = (line: number, reason: string) => {
    counts.faults++
    report(`Line ${line} ${reason}`)
  }
  let toldAt = 0
  let batch: NumberedUser[] = []
  const earlier = { emails: new Set<string>(), owned: new Set<string>() }
  const paid = new PaidAccounts(customers)
  const write = async () => {
    const unpayable = await paid.refused(batch)
    const others = without(batch, unpayable)
    const { added, alreadyThere, refused } = await (isDryRun
      ? rehearseBatch(app, others, earlier)
      : writeBatch(app, others))
    batch = []
    counts.added += added
    counts.alreadyThere += alreadyThere
    paid.add(without(others, refused))
    for (const { line, reason } of [...unpayable, ...refused]) onFault(line, reason)
  }
  for await (const line of linesOf(source, MAX_LINE_BYTES)) {
    counts.lines++
    const user = read(line, onFault)
    if (user) batch.push({ line: line.number, user })
    if (batch.length === USERS_A_BATCH) await write()
    if (batch.length === 0 && counts.lines - toldAt >= TELL_EVERY_LINES) {
      report(summaryOf(counts, isDryRun))
      toldAt = counts.lines
    }
  }
  if (batch.length > 0) await write()
  if (!isDryRun) for (const { line, reason } of await paid.link()) onFault(line, reason)
  return counts
}

function read({ number, text }: Line, onFault: (line: number, reason: string) => void) {
  try {
    if (text === null) throw new LineFault(`is not UTF-8 or longer than ${MAX_LINE_BYTES} bytes`)
    return readImportedUser(text)
  } catch (error) {
    if (!(error instanceof LineFault)) throw error
    onFault(number, error.message)
    return null
  }
}

/** The accounts of a file whose owners pay already. */
class PaidAccounts {
  private readonly limit = pLimit(CUSTOMERS_AT_ONCE)
  private readonly lines = new Map<number, PaidAccount>()
  /** The account of each customer in the file. */
  private readonly accounts = new Map<string, string>()

  constructor(private readonly customers: ImportedCustomers | undefined) {}

  /** The lines whose customer cannot be that of their account. Asks the provider about each. */
  refused(batch: readonly NumberedUser[]): Promise<RefusedLine[]> {
    return this.refusedBy(paidIn(batch), paid => this.objection(paid))
  }

  add(batch: readonly NumberedUser[]): void {
    for (const [line, paid] of paidIn(batch)) this.lines.set(line, paid)
  }

  /** Returns the lines that could not be linked, although their users have been added. */
  async link(): Promise<RefusedLine[]> {
    const { customers } = this
    if (!customers) return []
    const refused = await this.refusedBy([...this.lines], paid => customers.link(paid))
    return refused.map(({ line, reason }) => ({ line, reason: `is not linked to its customer: ${reason}` }))
  }

  private async objection(paid: PaidAccount): Promise<string | null> {
    const { accountId, customerId } = paid
    const isOfAnother = (this.accounts.get(customerId) ?? accountId) !== accountId
    if (isOfAnother) return `${customerId} is the customer of another account in this file`
    this.accounts.set(customerId, accountId)
    return this.customers ? this.customers.objection(paid) : 'customers cannot be linked here'
  }

  private async refusedBy(
    lines: readonly (readonly [number, PaidAccount])[],
    objectionTo: (paid: PaidAccount) => Promise<string | null>,
  ): Promise<RefusedLine[]> {
    const reasons = lines.map(async ([line, paid]) => {
      const reason = await this.limit(() => objectionTo(paid))
      return reason === null ? [] : [{ line, reason }]
    })
    return (await Promise.all(reasons)).flat()
  }
}

function paidIn(batch: readonly NumberedUser[]): [line: number, PaidAccount][] {
  return batch.flatMap(({ line, user: { account } }) =>
    account.kind === 'own' || account.customerId === null
      ? []
      : [[line, { accountId: account.id, customerId: account.customerId }]],
  )
}

/** The progress of an import. */
export function summaryOf({ lines, added, alreadyThere, faults }: ImportCounts, isDryRun = false): string {
  const here = `${alreadyThere.toLocaleString('en')} already here`
  const users = `${pluralize(added, 'user')} ${isDryRun ? 'would be added' : 'added'}`
  return `${pluralize(lines, 'line')}: ${users}, ${here}, ${pluralize(faults, 'line')} at fault`
}
