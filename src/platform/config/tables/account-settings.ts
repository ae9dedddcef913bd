import type { SettingsTable } from '../reading/setting.js'
import * as read from '../reading/setting-readers.js'

/** GDPR article 12 allows a month. */
const MAX_DELETION_GRACE_SECONDS = 30 * 24 * 60 * 60
/** An owner who is attacked at night can read about it in the morning. */
const MIN_TRANSFER_WAIT_SECONDS = 12 * 60 * 60
const MAX_TRANSFER_WAIT_SECONDS = 30 * 24 * 60 * 60

/** Each is looked up every day. */
const MAX_SATELLITES = 10_000

export const ACCOUNT_SETTINGS = {
  isSignUpOpen: {
    name: 'SIGN_UP',
    read: read.choiceOf({ on: true, off: false }),
    default: 'off',
    meaning: 'Whether strangers may create accounts',
    examples: { development: 'on' },
  },
  mayOwnersUseSatellites: {
    name: 'OWNERS_ON_SATELLITES',
    read: read.choiceOf({ allowed: true, barred: false }),
    default: 'allowed',
    meaning:
      "Whether owners may enter their password on satellites, which are customers' pages, or on the main site only; from there they can be handed off to satellites",
  },
  maxSatellitesPerAccount: {
    name: 'MAX_SATELLITES_PER_ACCOUNT',
    read: read.wholeNumber(1, MAX_SATELLITES),
    default: '200',
    meaning:
      'How many satellites an account may have, including those that are suspended or waiting for a proof; operators may add more',
  },
  deletionGraceSeconds: {
    name: 'DELETION_GRACE_SECONDS',
    read: read.seconds(0, MAX_DELETION_GRACE_SECONDS),
    default: '1209600',
    meaning: "How long after its owner's request an account is deleted",
  },
  transferWaitSeconds: {
    name: 'TRANSFER_WAIT_SECONDS',
    read: read.seconds(MIN_TRANSFER_WAIT_SECONDS, MAX_TRANSFER_WAIT_SECONDS),
    default: '259200',
    meaning: "How long after its owner's request an account can pass to the new owner",
  },
} as const satisfies SettingsTable
