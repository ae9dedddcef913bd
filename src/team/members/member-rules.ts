import { ApiError } from '../../platform/errors/api-error.js'
import { isDisabledByOperator, type User } from '../../users/user.js'
import { type ManagerAndMember, requireNotOwner, requireSomebodyElse } from '../team-authority.js'

/** Throws `LAST_OWNER` or `OWN_RIGHTS` unless the manager may disable or remove the member, or enable them again. */
export function requireRemovable({ manager, member }: ManagerAndMember): void {
  requireNotOwner(member)
  requireSomebodyElse(manager, member)
}

/** Throws `DISABLED_BY_OPERATOR` for somebody whom an operator has disabled: only an operator can let them in again. */
export function requireNotDisabledByOperator(user: User): void {
  if (isDisabledByOperator(user)) throw new ApiError('DISABLED_BY_OPERATOR')
}
