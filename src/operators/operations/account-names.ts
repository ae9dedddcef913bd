import { Injectable } from '@nestjs/common'
import { inArray } from 'drizzle-orm'
import { Database } from '../../platform/database/database.js'
import { accounts } from '../../platform/database/schema/accounts.js'

/** Account names, for lists that cover several accounts. */
@Injectable()
export class AccountNames {
  constructor(private readonly database: Database) {}

  /** The same rows, each with `accountName`: null when there is no account, or it has no name. */
  async addTo<Row extends { readonly accountId: string | null }>(
    rows: readonly Row[],
  ): Promise<(Row & { readonly accountName: string | null })[]> {
    const names = await this.find(rows.flatMap(({ accountId }) => accountId ?? []))
    return rows.map(row => ({ ...row, accountName: names.get(row.accountId ?? '') ?? null }))
  }

  private async find(ids: readonly string[]): Promise<ReadonlyMap<string, string | null>> {
    if (ids.length === 0) return new Map()
    const { id, name } = accounts
    const rows = await this.database.run(db =>
      db
        .select({ id, name })
        .from(accounts)
        .where(inArray(id, [...new Set(ids)])),
    )
    return new Map(rows.map(row => [row.id, row.name]))
  }
}
