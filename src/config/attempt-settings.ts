import { wholeNumber } from './setting-readers.js'
import type { SettingSheet } from './setting-sheet.js'

/**
 * How many attempts are allowed; for passwords and mailed links, wrong ones within the window. See
 * docs/reliability.md.
 */
export interface AttemptSettings {
  readonly windowSeconds: number
  readonly perAccountAndNetwork: number
  readonly perAccount: number
  readonly perNetwork: number
  /** From here on the log warns; nobody is refused. */
  readonly perOrigin: number
  /** From here on the log warns; nobody is refused. */
  readonly total: number
  /** Unknown session ids at refresh, within the window. */
  readonly wrongSessionIdsPerNetwork: number
  /** Right passwords, within an hour. */
  readonly loginsPerAccount: number
  /** Right passwords from one network, within an hour; when they are used up, strangers there are refused. */
  readonly loginsPerNetwork: number
  /** Within an hour. */
  readonly mailsPerAddress: number
  /** Within an hour, by the network that requests them without a login. */
  readonly mailsPerNetwork: number
  /** Within an hour, by the logged-in user who causes them. */
  readonly mailsPerUser: number
  /** Within an hour, by the account whose users cause them. */
  readonly mailsPerAccount: number
  /** Changes by one logged-in user, within an hour; one session may make a third of them. */
  readonly writesPerUser: number
  /** Requests to the payment provider within an hour. */
  readonly paymentRequestsPerUser: number
  /** Within an hour, by all users of an account. */
  readonly paymentRequestsPerAccount: number
}

/** NIST SP 800-63B §3.2.2: at most this many consecutive wrong guesses at one account. */
const MOST_PER_ACCOUNT = 100
/** NIST SP 800-63B §3.2.2: the wait is at most an hour. */
const LONGEST_WINDOW_SECONDS = 60 * 60
const NO_LIMIT = 1_000_000_000

export function readAttempts(sheet: SettingSheet): AttemptSettings {
  const count = (name: string, usual: number, most = NO_LIMIT) =>
    sheet.optional(name, wholeNumber(1, most), usual)
  return {
    windowSeconds: count('ATTEMPT_WINDOW', 900, LONGEST_WINDOW_SECONDS),
    perAccountAndNetwork: count('ATTEMPTS_PER_ACCOUNT_AND_NETWORK', 10, MOST_PER_ACCOUNT),
    perAccount: count('ATTEMPTS_PER_ACCOUNT', 50, MOST_PER_ACCOUNT),
    perNetwork: count('ATTEMPTS_PER_NETWORK', 100),
    perOrigin: count('ATTEMPTS_PER_ORIGIN', 1_000),
    total: count('ATTEMPTS_TOTAL', 10_000),
    wrongSessionIdsPerNetwork: count('WRONG_SESSION_IDS_PER_NETWORK', 300),
    loginsPerAccount: count('LOGINS_PER_ACCOUNT', 60),
    loginsPerNetwork: count('LOGINS_PER_NETWORK', 600),
    mailsPerAddress: count('MAILS_PER_ADDRESS', 6),
    mailsPerNetwork: count('MAILS_PER_NETWORK', 50),
    mailsPerUser: count('MAILS_PER_USER', 50),
    mailsPerAccount: count('MAILS_PER_ACCOUNT', 200),
    writesPerUser: count('WRITES_PER_USER', 900),
    paymentRequestsPerUser: count('PAYMENT_REQUESTS_PER_USER', 60),
    paymentRequestsPerAccount: count('PAYMENT_REQUESTS_PER_ACCOUNT', 180),
  }
}
