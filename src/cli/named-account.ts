import type { INestApplicationContext } from '@nestjs/common'
import { isId } from '../platform/http/request.js'
import { Users } from '../users/users.js'
import { asEmail } from './command-context.js'

/** The options `--account <id>` and `--owner <email>`. */
export interface NamedAccount {
  readonly account?: string
  readonly owner?: string
}

/** The id of the account; null when none is named. Throws an Error for one that `isKnown` does not know. */
export async function namedAccount(
  app: INestApplicationContext,
  { account, owner }: NamedAccount,
  isKnown: (accountId: string) => Promise<boolean>,
): Promise<string | null> {
  if (account !== undefined && owner !== undefined) throw new Error('Use either --account or --owner')
  if (owner !== undefined) {
    const user = await app.get(Users).findByEmail(asEmail(owner))
    if (!user) throw new Error(`There is no user ${owner}`)
    return user.accountId
  }
  if (account === undefined) return null
  if (!isId(account) || !(await isKnown(account))) throw new Error(`There is no account ${account}`)
  return account
}
