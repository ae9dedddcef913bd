import type { ExportedUser } from './export-format.js'
import { unusable } from './exported-hash.js'

/** Whoever wants an address, and the number of their record in the export. */
interface Claimant {
  readonly user: ExportedUser
  readonly email: string
  readonly number: number
}

/** The record that counts among those with one e-mail address. */
interface Claim {
  readonly number: number
  readonly rank: number
}

/** Which of several users of an export with the same e-mail address gets it. */
export class EmailClaims {
  /** By e-mail address. */
  private readonly claims = new Map<string, Claim>()

  add({ user, email, number }: Claimant): void {
    const rank = rankOf(user)
    const claim = this.claims.get(email)
    if (!claim || rank > claim.rank) this.claims.set(email, { number, rank })
  }

  /** Ask when all have been added. */
  isFirst({ email, number }: Claimant): boolean {
    return this.claims.get(email)?.number === number
  }
}

/**
 * Somebody may have signed up with another person's address, so a verified one counts more, and then one with
 * a password that they can keep. Of equal ones the first counts.
 */
function rankOf({ isEmailVerified, password }: ExportedUser): number {
  if (!isEmailVerified) return 0
  return 'hash' in password && unusable(password.hash) === null ? 2 : 1
}
