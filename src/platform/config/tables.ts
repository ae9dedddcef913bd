// Over 500 lines: one table, a row for each setting.
import { availableParallelism } from 'node:os'
import { LANGUAGES } from './languages.js'
import { LOCAL_PORTS } from './origin.js'
import * as read from './readers.js'
import { REQUIRED, type SettingsTable, type ValuesOf } from './setting.js'

const ENVIRONMENTS = ['development', 'test', 'production'] as const
const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'silent'] as const

/** Anything longer also needs a patient orchestrator: most kill after 30 s. */
const MAX_DRAIN_SECONDS = 300
const MAX_CONNECTIONS = 1_000_000
/** Each takes 19 MiB. */
const MAX_HASH_CONCURRENCY = 128

export const SERVER_SETTINGS = {
  environment: {
    name: 'NODE_ENV',
    read: read.oneOf(...ENVIRONMENTS),
    // The strictest, so that nobody runs production with a laptop's settings because something was forgotten.
    default: 'production',
    meaning: 'Selects the file `config/<NODE_ENV>.env`, and how strictly settings are checked',
    examples: { development: null, production: null },
  },
  host: {
    name: 'HOST',
    read: read.listenAddress,
    default: { production: '0.0.0.0', otherwise: 'localhost' },
    meaning: 'The address to listen on; `localhost` is 127.0.0.1',
  },
  port: {
    name: 'PORT',
    read: read.wholeNumber(0, 65_535),
    default: '3000',
    meaning: 'The port to listen on; 0 takes any free one',
  },
  tlsCertFile: {
    name: 'TLS_CERT_FILE',
    read: read.orNull(read.asText),
    default: '',
    defaultInWords: 'plain HTTP, for a proxy that terminates TLS',
    meaning: 'Certificate (PEM) for serving TLS directly; set together with `TLS_KEY_FILE`',
  },
  tlsKeyFile: {
    name: 'TLS_KEY_FILE',
    read: read.orNull(read.asText),
    default: '',
    meaning: 'Private key (PEM) of that certificate',
  },
  trustProxy: {
    name: 'TRUST_PROXY',
    read: read.listOf(read.proxyAddress),
    default: '',
    defaultInWords: 'no proxy is trusted',
    meaning:
      'IP addresses or CIDR blocks, comma-separated, of the proxies whose `X-Forwarded-For` is trusted',
  },
  maxConnections: {
    name: 'MAX_CONNECTIONS',
    read: read.wholeNumber(1, MAX_CONNECTIONS),
    default: '10000',
    meaning:
      'Client connections that one process accepts, at most as many as its limit on open files allows; set the limit ' +
      'of your load balancer lower. Without `TRUST_PROXY`, one client network (an IPv4 address, an IPv6 /64) gets a ' +
      'tenth of them, and at least 16',
  },
  drainSeconds: {
    name: 'DRAIN_SECONDS',
    read: read.seconds(0, MAX_DRAIN_SECONDS),
    // HAProxy's checks take 6 s (every 2 s, three failures), plus the duration of the last one. On a laptop
    // no load balancer has to notice.
    default: { production: '8', otherwise: '0' },
    meaning:
      'How long the service still answers after SIGTERM, while `/health/ready` says 503 so that load balancers notice; ' +
      'the orchestrator must wait 12 s longer before it kills the process',
  },
  hashConcurrency: {
    name: 'HASH_CONCURRENCY',
    read: read.wholeNumber(1, MAX_HASH_CONCURRENCY),
    default: String(Math.min(availableParallelism(), MAX_HASH_CONCURRENCY)),
    defaultInWords: 'the number of CPU cores',
    meaning:
      'Passwords hashed at the same time, 19 MiB each; above 4, set `UV_THREADPOOL_SIZE` to two more than the ' +
      'number of cores, in the environment of the process: it is not one of these settings',
  },
  metricsPort: {
    name: 'METRICS_PORT',
    read: read.orNull(read.wholeNumber(0, 65_535)),
    default: '',
    defaultInWords: 'no metrics are served',
    meaning:
      'A separate port for `GET /metrics`, in the format of Prometheus; 0 takes any free one. Each process needs its own',
  },
  metricsHost: {
    name: 'METRICS_HOST',
    read: read.asText,
    default: '127.0.0.1',
    meaning: 'The address that `METRICS_PORT` listens on; never one that strangers can reach',
  },
  tracesUrl: {
    name: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    read: read.orNull(read.urlOf('http:', 'https:')),
    default: '',
    defaultInWords: 'no traces',
    meaning: 'A collector that accepts traces by OTLP over HTTP; they are sent to `/v1/traces` there',
  },
  logLevel: {
    name: 'LOG_LEVEL',
    read: read.oneOf(...LOG_LEVELS),
    default: 'info',
    meaning: 'The lowest severity that is logged',
  },
} as const satisfies SettingsTable

/** OWASP Password Storage (2024): Argon2id with 19 MiB. */
export const HASH_MEMORY_KIB = 19_456

/**
 * Read with NODE_ENV=test alone, and documented nowhere else: tests hash thousands of passwords, of which a few have to
 * cost what they cost in production.
 */
export const TEST_SETTINGS = {
  hashMemoryKib: {
    name: 'HASH_MEMORY_KIB',
    read: read.wholeNumber(8, HASH_MEMORY_KIB),
    default: String(HASH_MEMORY_KIB),
    meaning: 'The memory that one hash of a password takes',
  },
} as const satisfies SettingsTable

/** The sites whose pages PAGES can name. */
const SITE_NAMES = ['main', 'satellite'] as const
/** With the operator console, which OPERATOR_ORIGIN turns on. */
export type SiteName = (typeof SITE_NAMES)[number] | 'operator'

export const ADDRESS_SETTINGS = {
  publicUrl: {
    name: 'PUBLIC_URL',
    read: read.baseUrl,
    default: { production: REQUIRED, otherwise: 'http://localhost:<PORT>' },
    meaning: 'Where clients reach the API; https in production',
    examples: { production: 'https://api.example.com' },
  },
  mainOrigin: {
    name: 'MAIN_ORIGIN',
    read: read.exactOrigin,
    default: { production: REQUIRED, otherwise: 'http://localhost:<PORT>' },
    meaning:
      'The exact origin of the main site, the only one that may send the session cookie and start payments',
    examples: { production: 'https://www.example.com' },
  },
  allowedOrigins: {
    name: 'ALLOWED_ORIGINS',
    read: read.listOf(read.exactOrigin),
    default: { production: REQUIRED, otherwise: '<MAIN_ORIGIN>' },
    meaning:
      'The exact origins of the satellites, comma-separated: `scheme://host[:port]`, no trailing slash, no wildcards; ' +
      'http is accepted outside production, on loopback hosts; MAIN_ORIGIN alone where all satellites are registered by accounts. ' +
      `In development, pages at localhost and 127.0.0.1 with port ${LOCAL_PORTS.join(', ')} are allowed besides, over https and http`,
    examples: {
      // The main site's https twin too.
      development:
        'http://localhost:<PORT>,https://localhost:<PORT>,http://127.0.0.1:<PORT+1>,https://127.0.0.1:<PORT+1>',
      production: 'https://shop-one.example.net,https://shop-two.example.org',
    },
  },
  isRegistryOnly: {
    name: 'SATELLITES',
    read: read.choiceOf({ listed: false, registry: true }),
    default: 'listed',
    meaning:
      'Which satellites there are: `listed`, those of ALLOWED_ORIGINS, for every account, and those that accounts have registered; ' +
      '`registry`, only the latter',
  },
  dnsServers: {
    name: 'DNS_SERVERS',
    read: read.listOf(read.nameServer),
    default: '',
    defaultInWords: "the machine's own",
    meaning: 'The name servers, `address[:port]`, where the proofs of satellites are looked up',
  },
  pages: {
    name: 'PAGES',
    read: read.listOf(read.oneOf(...SITE_NAMES)),
    default: '',
    defaultInWords: 'the service serves no pages',
    meaning:
      'The sites whose pages this service serves itself, comma-separated: `main` at the host of MAIN_ORIGIN, `satellite` ' +
      'at the host of every active satellite that points here; see [docs/operations.md](docs/operations/serving.md#the-pages)',
    examples: { development: 'main' },
  },
  cookieDomain: {
    name: 'COOKIE_DOMAIN',
    read: read.orNull(read.hostName),
    default: '',
    defaultInWords: 'the cookie is host-only',
    meaning: 'The domain that shares the session cookie; it must cover the main site and the API',
    examples: { production: 'example.com' },
  },
  passkeyRpId: {
    name: 'PASSKEY_RP_ID',
    read: read.orNull(read.hostName),
    default: '',
    defaultInWords: 'the host of MAIN_ORIGIN',
    meaning:
      'The domain that passkeys belong to: the host of the main site or a domain above it. Passkeys cannot move to another, ' +
      'so the service does not start with another one while there are some',
    examples: { production: 'example.com' },
  },
  passkeyRelatedOrigins: {
    name: 'PASSKEY_RELATED_ORIGINS',
    read: read.listOf(read.exactOrigin),
    default: '',
    defaultInWords: 'passkeys work on the main site only',
    meaning:
      'Further origins of your own, from ALLOWED_ORIGINS, where the same passkeys work; browsers accept at most five names ' +
      '(`brand` of `www.brand.example`)',
  },
} as const satisfies SettingsTable

export const BRAND_SETTINGS = {
  name: {
    name: 'SITE_NAME',
    read: read.siteName,
    default: 'Mainstay',
    meaning: 'What people call the main site: in its pages, in mails and in authenticator apps',
    examples: { production: 'Example' },
  },
  logoUrl: {
    name: 'SITE_LOGO_URL',
    read: read.orNull(read.addressOf('https:')),
    default: '',
    defaultInWords: 'pages show the name alone, mails its first letter',
    meaning: 'A picture (https) beside the name in pages and mails, at most 32 pixels high in mails',
  },
  accent: {
    name: 'SITE_ACCENT',
    read: read.color,
    default: '#3b4fd8',
    meaning:
      'The colour of buttons and links, as `#rrggbb`; made darker or lighter where it would be hard to read',
  },
  supportUrl: {
    name: 'SUPPORT_URL',
    read: read.orNull(read.addressOf('https:', 'mailto:')),
    default: '',
    defaultInWords: 'pages and mails show no help link',
    meaning: 'Where people get help, such as `mailto:help@example.com` or a page (https)',
    examples: { production: 'mailto:help@example.com' },
  },
  defaultLanguage: {
    name: 'DEFAULT_LANGUAGE',
    read: read.oneOf(...LANGUAGES),
    default: 'en',
    meaning:
      'The language of pages when a browser asks for none of the available ones, and of mails to people whose language is not known',
  },
} as const satisfies SettingsTable

/** PostgreSQL's own default is 100 for all clients together. */
const MAX_POOL_SIZE = 500
/** Statements are cancelled after this long anyway. */
const MAX_DATABASE_TIMEOUT_MS = 3_000
/** A silent connection is given up after this long anyway. */
const MAX_SESSION_STORE_TIMEOUT_MS = 3_000
/** For longer, what was changed meanwhile would be unknown for too long. */
const MAX_COPIES_WITHOUT_DATABASE_SECONDS = 24 * 60 * 60
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
    read: read.databaseUrl,
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
    defaultInWords: 'every refresh reads the database',
    meaning:
      'Redis for copies of sessions and for counts of attempts: `redis://host:6379/0`, `redis+cluster://host1:6379,host2:6379` (`rediss://…` and ' +
      '`rediss+cluster://…` use TLS) or `redis+sentinel://host1:26379,host2:26379/<master name>`',
    isSecret: true,
    examples: {
      production: 'redis+cluster://redis-1.internal:6379,redis-2.internal:6379,redis-3.internal:6379',
    },
  },
  sessionStoreTimeoutMs: {
    name: 'SESSION_STORE_TIMEOUT_MS',
    read: read.milliseconds(50, MAX_SESSION_STORE_TIMEOUT_MS),
    default: '300',
    meaning: 'How long Redis may take to answer before a request goes on without it',
  },
  copiesWithoutDatabaseSeconds: {
    name: 'COPIES_WITHOUT_DATABASE_SECONDS',
    read: read.seconds(0, MAX_COPIES_WITHOUT_DATABASE_SECONDS),
    default: '900',
    meaning:
      'How long sessions that Redis has a copy of can be refreshed while the database does not answer. What changes meanwhile cannot be known, so it is no longer than an access token lives anyway',
  },
} as const satisfies SettingsTable

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
  sessionIdleSeconds: {
    name: 'SESSION_IDLE_SECONDS',
    read: read.orNull(read.seconds(1, MAX_SESSION_TTL_SECONDS)),
    default: '',
    defaultInWords: 'none',
    meaning:
      'Idle timeout: after how long without a refresh a session is over; at least twice ACCESS_TOKEN_TTL_SECONDS, because a client that is used refreshes once in that time. Accounts and satellites may set a stricter one',
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
    meaning: 'How long a session counts as re-authenticated, also after its login on the main site',
  },
} as const satisfies SettingsTable

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

export const MAIL_SETTINGS = {
  smtpUrl: {
    name: 'SMTP_URL',
    read: read.orNull(read.smtpUrl),
    default: '',
    defaultInWords: 'what needs mail is refused with 503 `MAIL_UNAVAILABLE`',
    meaning:
      'Mail server: `smtp://user:password@host:587` (STARTTLS, or unencrypted with `?tls=off`) or `smtps://…:465`, or, ' +
      'outside production, `log:` (mails go to the log); set together with `MAIL_FROM`',
    isSecret: true,
    // The mail outbox (dev/mail-outbox.ts).
    examples: { development: 'smtp://localhost:<PORT+25>' },
  },
  from: {
    name: 'MAIL_FROM',
    read: read.orNull(read.sender),
    default: '',
    meaning: 'The sender of mails, such as `Mainstay <no-reply@example.com>`',
    examples: {
      development: 'Mainstay <no-reply@localhost>',
      production: 'Example <no-reply@example.com>',
    },
  },
} as const satisfies SettingsTable

/** In the provider's words: billed with the next invoice, at once, or not at all. */
const PRORATIONS = ['create_prorations', 'always_invoice', 'none'] as const

/** By then the provider has long given up on a payment. */
const MAX_PAYMENT_GRACE_SECONDS = 365 * 24 * 60 * 60

/** In development the payment sandbox (packages/payment-sandbox) takes the provider's place. */
export const PAYMENT_SETTINGS = {
  takesPayments: {
    name: 'PAYMENTS',
    read: read.orNull(read.choiceOf({ stripe: true, off: false })),
    default: '',
    defaultInWords: '`stripe` if one of the settings below is given, otherwise `off`',
    meaning:
      'Whether anything is sold: with `off`, nothing of billing is there, plans limit nothing, and the settings below are ' +
      'not read; see [docs/operations.md](docs/operations/payments.md#without-payments)',
  },
  priceIds: {
    name: 'STRIPE_PRICE_IDS',
    read: read.nonEmptyListOf(read.startingWith('price_')),
    default: REQUIRED,
    meaning: 'Prices on sale, comma-separated; the first is the default',
    examples: { development: 'price_monthly,price_yearly' },
  },
  secretKey: {
    name: 'STRIPE_SECRET_KEY',
    read: read.secret(['sk_', 'rk_'], 20),
    default: REQUIRED,
    meaning: 'Secret or restricted API key of Stripe',
    isSecret: true,
    examples: { development: 'sk_test_payment_sandbox' },
  },
  webhookSecrets: {
    name: 'STRIPE_WEBHOOK_SECRET',
    read: read.nonEmptyListOf(read.secret(['whsec_'], 20)),
    default: REQUIRED,
    meaning: 'Signing secret of the webhook endpoint; several, comma-separated, are all accepted',
    isSecret: true,
    examples: { development: 'whsec_payment_sandbox_only' },
  },
  apiUrl: {
    name: 'STRIPE_API_URL',
    read: read.orNull(read.providerUrl),
    default: '',
    defaultInWords: 'Stripe itself',
    meaning: 'A server to use instead of Stripe, such as the payment sandbox',
    examples: { development: 'http://localhost:<PORT+10>' },
  },
  checkout: {
    name: 'STRIPE_CHECKOUT_OPTIONS',
    read: read.checkoutOptions,
    default: '{}',
    meaning:
      'Further options of every checkout as JSON (tax, promotion codes, trial, payment methods …), see ' +
      '[docs/operations.md](docs/operations/payments.md#payments)',
  },
  proration: {
    name: 'STRIPE_PRORATION',
    read: read.oneOf(...PRORATIONS),
    default: 'create_prorations',
    meaning: 'How a changed number of seats is billed in the current period',
  },
  plansFile: {
    name: 'PLANS_FILE',
    read: read.orNull(read.asText),
    default: '',
    defaultInWords: 'payments limit nothing',
    meaning:
      'JSON file of plans (their prices, what they allow, and whether seats are billed), see ' +
      '[config/plans.json.example](config/plans.json.example)',
  },
  paymentGraceSeconds: {
    name: 'PAYMENT_GRACE_SECONDS',
    read: read.seconds(0, MAX_PAYMENT_GRACE_SECONDS),
    default: '1209600',
    meaning: 'How long an account keeps its plan while a payment is overdue',
  },
} as const satisfies SettingsTable

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

export const ANOMALY_SETTINGS = {
  anomalyPolicy: {
    name: 'ANOMALY_POLICY',
    read: read.anomalyPolicy,
    // Nobody is logged out: a phone that changes between Wi-Fi and mobile network scores 15, somebody who turns
    // on a VPN 50, another kind of browser on another network 60.
    default: 'log:1,notify:60,reauthenticate:60',
    meaning:
      'What is done about an unusual login or refresh, and from which score (1 to 100): `log`, `notify` (a mail), ' +
      '`reauthenticate` (a recent re-authentication no longer counts, nor does the login as one), `revoke` (the session ' +
      'ends, a login is refused); see [docs/operations.md](docs/operations/protection.md#anomalies)',
  },
  geoIpFile: {
    name: 'GEOIP_FILE',
    read: read.orNull(read.asText),
    default: '',
    defaultInWords: 'locations are unknown',
    meaning: 'City database in MMDB format (GeoLite2 City, DB-IP City Lite), read once at start',
  },
} as const satisfies SettingsTable

export const OPERATOR_SETTINGS = {
  operatorOrigin: {
    name: 'OPERATOR_ORIGIN',
    read: read.orNull(read.exactOrigin),
    default: '',
    defaultInWords: 'there is no console',
    meaning:
      'The exact origin of the operator console, at a host of its own that points to this service; see ' +
      '[docs/operations.md](docs/operations/console.md)',
    examples: { production: 'https://operators.example.com' },
  },
  operatorAddresses: {
    name: 'OPERATOR_ADDRESSES',
    read: read.listOf(read.proxyAddress),
    default: { production: '', otherwise: '127.0.0.0/8,::1' },
    meaning:
      'IP addresses or CIDR blocks, comma-separated, from which the console can be reached; for others it ' +
      'does not exist. Required in production where there is a console',
    examples: { production: '203.0.113.0/24' },
  },
} as const satisfies SettingsTable

interface SettingsGroup {
  readonly title: string
  /** What a reader of the whole group should know, in Markdown. */
  readonly introduction?: string
  readonly table: SettingsTable
}

/**
 * Every setting, in the order in which they are read and documented. `npm run settings` writes
 * docs/settings.md and the env examples from this. A new setting is a row in one of the tables and a field in
 * settings.ts.
 */
export const SETTINGS_GROUPS: readonly SettingsGroup[] = [
  { title: 'Server', table: SERVER_SETTINGS },
  { title: 'Addresses', table: ADDRESS_SETTINGS },
  { title: 'Brand', table: BRAND_SETTINGS },
  { title: 'Stores', table: STORE_SETTINGS },
  { title: 'Tokens and sessions', table: SESSION_SETTINGS },
  { title: 'Accounts', table: ACCOUNT_SETTINGS },
  { title: 'Mail', table: MAIL_SETTINGS },
  { title: 'Payments', table: PAYMENT_SETTINGS },
  {
    title: 'Rate limits',
    introduction:
      'Requests beyond a limit get 429. A network is an IPv4 address or an IPv6 /64; a /56 is allowed twice as much, a ' +
      '/48 four times. [docs/reliability.md](docs/reliability.md) says which limit refuses whom.',
    table: RATE_LIMIT_SETTINGS,
  },
  { title: 'Anomalies', table: ANOMALY_SETTINGS },
  { title: 'Operator console', table: OPERATOR_SETTINGS },
]

/** Every setting, in that order. */
export const ALL_SETTINGS = SETTINGS_GROUPS.flatMap(({ table }) => Object.values(table))
