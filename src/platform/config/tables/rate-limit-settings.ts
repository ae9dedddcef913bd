import type { SettingsTable, ValuesOf } from '../reading/setting.js'
import * as read from '../reading/setting-readers.js'

/** NIST SP 800-63B §3.2.2: at most this many consecutive wrong guesses at one account. */
const MAX_PER_ACCOUNT = 100
/** NIST SP 800-63B §3.2.2: the wait is at most an hour. */
const MAX_WINDOW_SECONDS = 60 * 60

/** docs/reliability.md says who is refused by which. */
export const RATE_LIMIT_SETTINGS = {
  windowSeconds: {
    name: 'ATTEMPT_WINDOW_SECONDS',
    read: read.seconds(1, MAX_WINDOW_SECONDS),
    default: '900',
    meaning:
      'The window in which wrong attempts are counted; for one account it doubles, up to an hour, until a password is correct',
  },
  perAccountAndNetwork: {
    name: 'ATTEMPTS_PER_ACCOUNT_AND_NETWORK',
    read: read.wholeNumber(1, MAX_PER_ACCOUNT),
    default: '10',
    meaning: 'Wrong passwords per window for one account from one network',
  },
  perAccount: {
    name: 'ATTEMPTS_PER_ACCOUNT',
    read: read.wholeNumber(1, MAX_PER_ACCOUNT),
    default: '50',
    meaning: 'Wrong passwords per window for one account',
  },
  perNetwork: {
    name: 'ATTEMPTS_PER_NETWORK',
    read: read.wholeNumber(1),
    default: '100',
    meaning: 'Wrong passwords and wrong mailed links per window from one network',
  },
  perOrigin: {
    name: 'ATTEMPTS_PER_ORIGIN',
    read: read.wholeNumber(1),
    default: '1000',
    meaning: 'Wrong attempts per window from one origin, after which the log warns; nobody is refused',
  },
  total: {
    name: 'ATTEMPTS_TOTAL',
    read: read.wholeNumber(1),
    default: '10000',
    meaning: 'Wrong attempts per window in total, after which the log warns; nobody is refused',
  },
  loginsPerAccount: {
    name: 'LOGINS_PER_ACCOUNT',
    read: read.wholeNumber(1),
    default: '60',
    meaning: 'Correct passwords per hour for one account',
  },
  loginsPerNetwork: {
    name: 'LOGINS_PER_NETWORK',
    read: read.wholeNumber(1),
    default: '600',
    meaning:
      'Correct passwords per hour from one network; beyond that, clients unknown to their account are refused',
  },
  wrongSessionIdsPerNetwork: {
    name: 'WRONG_SESSION_IDS_PER_NETWORK',
    read: read.wholeNumber(1),
    default: '300',
    meaning: 'Unknown session identifiers at refresh per window from one network',
  },
  mailsPerAddress: {
    name: 'MAILS_PER_ADDRESS',
    read: read.wholeNumber(1),
    default: '6',
    meaning: 'Mails per hour to one mailbox, at most half of them caused by one network',
  },
  mailsPerNetwork: {
    name: 'MAILS_PER_NETWORK',
    read: read.wholeNumber(1),
    default: '50',
    meaning: 'Mails per hour requested from one network without a login',
  },
  mailsPerUser: {
    name: 'MAILS_PER_USER',
    read: read.wholeNumber(1),
    default: '50',
    meaning: 'Mails per hour caused by one logged-in user, such as invitations',
  },
  mailsPerAccount: {
    name: 'MAILS_PER_ACCOUNT',
    read: read.wholeNumber(1),
    default: '200',
    meaning: 'Mails per hour caused by all logged-in users of one account',
  },
  writesPerUser: {
    name: 'WRITES_PER_USER',
    read: read.wholeNumber(1),
    default: '900',
    meaning:
      'Changes per hour by one logged-in user on the main site, at most a third of them by one session; as many as that third on all satellites together',
  },
  handoffsPerUser: {
    name: 'HANDOFFS_PER_USER',
    read: read.wholeNumber(1),
    default: '120',
    meaning: 'Hand-offs to satellites per hour by one user, at most half of them by one session',
  },
  paymentRequestsPerUser: {
    name: 'PAYMENT_REQUESTS_PER_USER',
    read: read.wholeNumber(1),
    default: '60',
    meaning:
      'Checkouts, portal pages and payment checks per hour by one user; also payment checks by all users of an account who may not pay',
  },
  paymentRequestsPerAccount: {
    name: 'PAYMENT_REQUESTS_PER_ACCOUNT',
    read: read.wholeNumber(1),
    default: '180',
    meaning: 'Checkouts, portal pages and payment checks per hour by all users of one account',
  },
  satelliteChecksPerAccount: {
    name: 'SATELLITE_CHECKS_PER_ACCOUNT',
    read: read.wholeNumber(1),
    default: '10',
    meaning: "Checks of satellites' proofs per hour, requested by all users of one account",
  },
} as const satisfies SettingsTable

/** How many attempts are allowed. */
export type RateLimitSettings = ValuesOf<typeof RATE_LIMIT_SETTINGS>
