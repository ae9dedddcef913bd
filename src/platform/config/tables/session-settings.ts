import { REQUIRED, type SettingsTable } from '../reading/setting.js'
import * as read from '../reading/setting-readers.js'

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
  secretsKeysFile: {
    name: 'SECRETS_KEYS_FILE',
    read: read.asText,
    default: { production: REQUIRED, otherwise: '<DATA_DIR>/secrets-keys.json' },
    meaning:
      'File of the keys that encrypt the secrets of authenticator apps in the database, created with `secrets:generate` and changed with `secrets:rotate`; development creates its own. Without it those secrets are lost, so back it up, apart from the database',
    examples: { production: '/keys/secrets-keys.json' },
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
    read: read.seconds(1, MAX_ACCESS_TOKEN_TTL_SECONDS),
    default: '900',
    meaning: 'How long an access token is valid',
  },
  sessionTtlSeconds: {
    name: 'SESSION_TTL_SECONDS',
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
    read: read.seconds(1, MAX_REAUTHENTICATION_TTL_SECONDS),
    default: '600',
    meaning: 'How long a session counts as re-authenticated',
  },
} as const satisfies SettingsTable
