import { anomalyPolicy } from '../anomaly-policy.js'
import { REQUIRED, type SettingsTable } from '../setting.js'
import * as read from '../setting-readers.js'

/** RFC 9068 asks for short-lived tokens; more than a day would make revocation meaningless. */
const MAX_ACCESS_TOKEN_TTL_SECONDS = 24 * 60 * 60
/** Browsers keep a cookie for 400 days at most (RFC 6265bis §5.5). */
const MAX_SESSION_TTL_SECONDS = 400 * 24 * 60 * 60
/** After more than a day it says nothing about who is there now. */
const MAX_REAUTHENTICATION_TTL_SECONDS = 24 * 60 * 60
/** All sessions of a user are listed and changed at once. */
const MAX_MAX_SESSIONS = 1_000

export const SESSION_SETTINGS = {
  jwtKeysFile: {
    name: 'JWT_KEYS_FILE',
    read: read.asText,
    default: { production: REQUIRED, otherwise: '<DATA_DIR>/jwt-keys.json' },
    meaning:
      'File of the signing keys, created with `keys:generate` and changed with `keys:rotate`; development creates its own',
    examples: { production: '/keys/jwt-keys.json' },
  },
  jwtIssuer: {
    name: 'JWT_ISSUER',
    read: read.asText,
    default: '<PUBLIC_URL>',
    meaning: 'Claim `iss` of access tokens',
  },
  jwtAudience: {
    name: 'JWT_AUDIENCE',
    read: read.asText,
    default: '<PUBLIC_URL>',
    meaning: 'Claim `aud` of access tokens',
  },
  accessTokenTtlSeconds: {
    name: 'ACCESS_TOKEN_TTL_SECONDS',
    formerName: 'ACCESS_TOKEN_TTL',
    read: read.seconds(1, MAX_ACCESS_TOKEN_TTL_SECONDS),
    default: '900',
    meaning: 'How long an access token is valid',
  },
  sessionTtlSeconds: {
    name: 'SESSION_TTL_SECONDS',
    formerName: 'SESSION_TTL',
    read: read.seconds(1, MAX_SESSION_TTL_SECONDS),
    default: '2592000',
    meaning: 'How long a session lasts after the login',
  },
  maxSessionsPerUser: {
    name: 'MAX_SESSIONS_PER_USER',
    read: read.wholeNumber(1, MAX_MAX_SESSIONS),
    default: '50',
    meaning: 'Sessions that a user may have; a login beyond that ends the least recently used one',
  },
  reauthenticationTtlSeconds: {
    name: 'REAUTHENTICATION_TTL_SECONDS',
    formerName: 'REAUTHENTICATION_TTL',
    read: read.seconds(1, MAX_REAUTHENTICATION_TTL_SECONDS),
    default: '600',
    meaning: 'How long a session counts as re-authenticated',
  },
} as const satisfies SettingsTable

/** GDPR article 12 allows a month. */
const MAX_DELETION_GRACE_SECONDS = 30 * 24 * 60 * 60
/** An owner who is robbed at night reads about it in the morning. */
const MIN_TRANSFER_WAIT_SECONDS = 12 * 60 * 60
const MAX_TRANSFER_WAIT_SECONDS = 30 * 24 * 60 * 60

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
    meaning: "Whether owners may log in on satellites, which are customers' pages, or on the main site only",
  },
  deletionGraceSeconds: {
    name: 'DELETION_GRACE_SECONDS',
    formerName: 'DELETION_GRACE',
    read: read.seconds(0, MAX_DELETION_GRACE_SECONDS),
    default: '1209600',
    meaning: "How long after its owner's request an account is deleted",
  },
  transferWaitSeconds: {
    name: 'TRANSFER_WAIT_SECONDS',
    formerName: 'TRANSFER_WAIT',
    read: read.seconds(MIN_TRANSFER_WAIT_SECONDS, MAX_TRANSFER_WAIT_SECONDS),
    default: '259200',
    meaning: "How long after its owner's request an account can pass to the new owner",
  },
} as const satisfies SettingsTable

export const ANOMALY_SETTINGS = {
  anomalyPolicy: {
    name: 'ANOMALY_POLICY',
    read: anomalyPolicy,
    // Nobody is logged out: a phone that changes between Wi-Fi and mobile network scores 15, somebody who turns
    // on a tunnel 50, another kind of browser on another network 60.
    default: 'log:1,notify:60,reauthenticate:60',
    meaning:
      'What is done about an unusual login or refresh, and from which score (1 to 100): `log`, `notify` (a mail), ' +
      '`reauthenticate` (a recent re-authentication no longer counts), `revoke` (the session ends, a login is ' +
      'refused); see [docs/operations.md](docs/operations.md#anomalies)',
  },
  geoIpFile: {
    name: 'GEOIP_FILE',
    read: read.orNull(read.asText),
    default: '',
    defaultInWords: 'locations are unknown',
    meaning: 'City database in MMDB form (GeoLite2 City, DB-IP City Lite), read once at start',
  },
} as const satisfies SettingsTable
