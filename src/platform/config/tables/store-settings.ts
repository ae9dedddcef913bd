import * as address from '../reading/address-readers.js'
import { REQUIRED, type SettingsTable } from '../reading/setting.js'
import * as read from '../reading/setting-readers.js'

/** PostgreSQL's own default is 100 for all clients together. */
const MAX_POOL_SIZE = 500
/** Statements are cancelled after this long anyway. */
const MAX_DATABASE_TIMEOUT_MS = 3_000
/** A silent connection is given up after this long anyway. */
const MAX_SESSION_STORE_TIMEOUT_MS = 3_000
/** Long enough to notice a break-in before the log that shows it is gone. */
const MIN_AUDIT_RETENTION_DAYS = 30
const MAX_AUDIT_RETENTION_DAYS = 36_500

export const STORE_SETTINGS = {
  dataDir: {
    name: 'DATA_DIR',
    read: read.asText,
    default: 'data',
    meaning: 'Folder for what is kept in files: the embedded database and, in development, the signing keys',
    examples: { production: '/var/lib/mainstay' },
  },
  databaseUrl: {
    name: 'DATABASE_URL',
    read: address.databaseUrl,
    default: { production: REQUIRED, otherwise: 'pglite:<DATA_DIR>/database' },
    meaning:
      '`postgres://…`, or `pglite:` and a folder for the embedded database; of several hosts ' +
      '(`postgres://db-1,db-2/mainstay`) the one that accepts writes is used',
    isSecret: true,
    examples: { production: 'postgres://mainstay:…@database.internal:5432/mainstay' },
  },
  databasePoolSize: {
    name: 'DATABASE_POOL_SIZE',
    read: read.wholeNumber(2, MAX_POOL_SIZE),
    default: '10',
    meaning: 'Connections to PostgreSQL for requests, per process; each process opens up to four more',
  },
  databaseTimeoutMs: {
    name: 'DATABASE_TIMEOUT_MS',
    read: read.milliseconds(100, MAX_DATABASE_TIMEOUT_MS),
    default: '400',
    meaning: 'How long PostgreSQL may be silent before requests are refused with 503',
  },
  auditRetentionDays: {
    name: 'AUDIT_RETENTION_DAYS',
    read: read.orNull(read.days(MIN_AUDIT_RETENTION_DAYS, MAX_AUDIT_RETENTION_DAYS)),
    default: '',
    defaultInWords: 'forever',
    meaning:
      'How many days rows of the audit log are kept; older ones are removed every day, with their seals',
  },
  sessionStoreUrl: {
    name: 'SESSION_STORE_URL',
    read: read.orNull(
      read.startingWith(
        'redis://',
        'rediss://',
        'redis+cluster://',
        'rediss+cluster://',
        'redis+sentinel://',
      ),
    ),
    default: '',
    defaultInWords: 'sessions are kept in the database',
    meaning:
      'Redis for sessions: `redis://host:6379/0`, `redis+cluster://host1:6379,host2:6379` (`rediss://…` and ' +
      '`rediss+cluster://…` use TLS) or `redis+sentinel://host1:26379,host2:26379/<master name>`; its ' +
      '`maxmemory-policy` must be `noeviction`',
    isSecret: true,
    examples: {
      production: 'redis+cluster://redis-1.internal:6379,redis-2.internal:6379,redis-3.internal:6379',
    },
  },
  sessionStoreTimeoutMs: {
    name: 'SESSION_STORE_TIMEOUT_MS',
    read: read.milliseconds(50, MAX_SESSION_STORE_TIMEOUT_MS),
    default: '300',
    meaning: 'How long Redis may take to answer before a request is refused with 503',
  },
  sessionForm: {
    name: 'SESSION_FORM',
    read: read.oneOf('long', 'compact'),
    default: 'long',
    meaning:
      'How new sessions are written to Redis. `compact` takes 64 bytes less each; the release before this one cannot read it, so set it once every replica runs this release and you will not go back. Sessions written either way are read',
  },
} as const satisfies SettingsTable
