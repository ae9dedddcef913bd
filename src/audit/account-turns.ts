import { Injectable } from '@nestjs/common'
import pLimit from 'p-limit'
import { unavailable } from '../platform/errors/api-error.js'

/** Each takes milliseconds, unless its filter finds nothing. */
const MAX_REQUESTS = 8

/**
 * The audit pages and login histories of an account take turns, in each process: however many are requested, one is
 * read at a time, so an account takes one connection for reports, or one of the places where reports wait.
 */
@Injectable()
export class AccountTurns {
  private readonly accounts = new Map<string, { inTurn: ReturnType<typeof pLimit>; requests: number }>()

  /** Runs `read` once no other page of this account is being read. Throws `TOO_BUSY` (503) when seven are waiting. */
  async take<T>(accountId: string, read: () => Promise<T>): Promise<T> {
    const account = this.accounts.get(accountId) ?? { inTurn: pLimit(1), requests: 0 }
    if (account.requests >= MAX_REQUESTS) throw unavailable('TOO_BUSY')
    account.requests++
    this.accounts.set(accountId, account)
    try {
      return await account.inTurn(read)
    } finally {
      account.requests--
      if (account.requests === 0) this.accounts.delete(accountId)
    }
  }
}
