import { pluralize } from '../../../platform/log.js'

/** Counts by name, in the order of their first occurrence. */
class Tally {
  private readonly counts = new Map<string, number>()

  add(what: string): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + 1)
  }

  /** `bcrypt (12), argon2id (3)`; `nobody` for nothing. */
  toString(): string {
    const parts = [...this.counts].map(([what, count]) => `${what} (${thousands(count)})`)
    return parts.join(', ') || 'nobody'
  }
}

/** The result of converting an export, for the operator: what was kept, what was not, and why. */
export class ConversionReport {
  readonly hashes = new Tally()
  readonly withoutPassword = new Tally()
  readonly skipped = new Tally()
  readonly lost = new Tally()
  read = 0
  owners = 0
  members = 0
  totpSecrets = 0
  /** Users who shared the ownership of an account there, and become members of it here. */
  secondOwners = 0

  /** Sentences, one per line. */
  lines(): string[] {
    return [
      `${pluralize(this.read, 'user')} read, ${thousands(this.owners + this.members)} written: ` +
        `${pluralize(this.owners, 'owner')} with an account each, ${pluralize(this.members, 'member')}`,
      ...(this.secondOwners > 0
        ? [
            `Additional owners who became members, because an account has one owner: ${thousands(this.secondOwners)}`,
          ]
        : []),
      `Keeping their password: ${this.hashes}`,
      `Without a password, until they ask for a link: ${this.withoutPassword}`,
      `Keeping their authenticator app: ${thousands(this.totpSecrets)}`,
      `Left out: ${this.skipped}`,
      `Could not be carried over: ${this.lost}`,
    ]
  }
}

function thousands(count: number): string {
  return count.toLocaleString('en')
}
