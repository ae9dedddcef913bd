import type { User } from '../../users/user.js'

/** What the console shows of a user, in the list of an account and on a page of their own. */
export function shownUser(user: User) {
  const { id, accountId, email, name, role, createdAt, disabledAt, disabledBy, hasSecondFactor } = user
  return { id, accountId, email, name, role, createdAt, disabledAt, disabledBy, hasSecondFactor }
}
