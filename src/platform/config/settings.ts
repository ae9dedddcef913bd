import { type DynamicModule, Module } from '@nestjs/common'
import { ConfigModule, registerAs } from '@nestjs/config'
import type { LanguageName } from './languages.js'
import type { Origin } from './origin.js'
import type { AnomalyPolicy, CheckoutOptions, Sender } from './readers.js'
import type { ValuesOf } from './setting.js'
import type { PAYMENT_SETTINGS, RateLimitSettings, SERVER_SETTINGS, SiteName } from './tables.js'

type Server = ValuesOf<typeof SERVER_SETTINGS>

/**
 * Everything that an operator can choose, read once at start by {@link readSettings} and injected by this
 * class. What each setting means and takes is in tables.ts.
 */
export class Settings {
  readonly environment!: Server['environment']
  readonly port!: number
  readonly host!: string
  /** Where clients reach this API; without a trailing slash. */
  readonly publicUrl!: string
  readonly mainOrigin!: Origin
  readonly satelliteOrigins!: ReadonlySet<Origin>
  /**
   * Further satellites of all accounts, which nobody is shown: in development the pages that tools serve on this
   * machine. Empty everywhere else.
   */
  readonly localOrigins!: ReadonlySet<Origin>
  /** Whether only satellites that accounts have registered count. */
  readonly isRegistryOnly!: boolean
  /** Where proofs of satellites are looked up; empty is the machine's own name servers. */
  readonly dnsServers!: readonly string[]
  /** Null makes the cookie host-only. */
  readonly cookieDomain!: string | null
  /** The domain that passkeys belong to: the main site's host, or a domain above it. */
  readonly passkeyRpId!: string
  /** The sites whose built pages this service serves. */
  readonly pages!: readonly SiteName[]
  readonly brand!: Brand
  /** For pages and mails where no other language is known. */
  readonly defaultLanguage!: LanguageName
  /** Satellites where the same passkeys work. */
  readonly passkeyRelatedOrigins!: readonly Origin[]
  readonly accessTokenTtlSeconds!: number
  readonly sessionTtlSeconds!: number
  /** After how long without a refresh a session is over; null: only its lifetime ends it. */
  readonly sessionIdleSeconds!: number | null
  /** A login beyond that ends the user's least recently used session. */
  readonly maxSessionsPerUser!: number
  /** `pglite:<folder>` (embedded) or `postgres://…`. */
  readonly databaseUrl!: string
  /** Null keeps no copies of sessions. */
  readonly sessionStoreUrl!: string | null
  /** A request goes on without Redis after this long without an answer. */
  readonly sessionStoreTimeoutMs!: number
  /** How long copies of sessions are served while the database does not answer. */
  readonly copiesWithoutDatabaseSeconds!: number
  readonly jwtKeysFile!: string
  /** Keys for what is stored encrypted. */
  readonly secretsKeysFile!: string
  readonly jwtIssuer!: string
  readonly jwtAudience!: string
  /** How long a session counts as re-authenticated. */
  readonly reauthenticationTtlSeconds!: number
  /** Whether visitors may create accounts. */
  readonly isSignUpOpen!: boolean
  /** Whether owners may log in on satellites, which are their customers' pages. */
  readonly mayOwnersUseSatellites!: boolean
  /** Whatever their state. */
  readonly maxSatellitesPerAccount!: number
  /** Between the request to delete an account and its deletion. */
  readonly deletionGraceSeconds!: number
  /** Between the request to make another user the owner and the earliest time at which they are. */
  readonly transferWaitSeconds!: number
  /** How long rows of the audit log are kept; null: forever. */
  readonly auditRetentionDays!: number | null
  readonly anomalyPolicy!: AnomalyPolicy
  /** A city database in MMDB form; with null, places are not known. */
  readonly geoIpFile!: string | null
  readonly rateLimits!: RateLimitSettings
  /** How many passwords are hashed at a time. */
  readonly hashConcurrency!: number
  /** The memory that one of them takes. */
  readonly hashMemoryKib!: number
  /** With null, no mail can be sent, and what needs one is refused. */
  readonly mail!: MailSettings | null
  /** Null: there is no operator console. */
  readonly operators!: OperatorSettings | null
  /** Null: nothing is sold. */
  readonly stripe!: StripeSettings | null
  /** What plans allow, as JSON; with null, payments limit nothing. */
  readonly plansFile!: string | null
  /** How long an account keeps its plan while a payment is due. */
  readonly paymentGraceSeconds!: number
  /** Addresses or CIDR blocks of the proxies whose X-Forwarded-For is believed. */
  readonly trustProxy!: readonly string[]
  readonly tls!: TlsSettings | null
  readonly operation!: OperationSettings
  readonly logLevel!: Server['logLevel']
  readonly dataDir!: string
  /** To be logged at start, such as a setting under its old name. */
  readonly warnings!: readonly string[]
}

/** The shortest idle timeout: twice the time in which a client that is used refreshes. */
export function leastIdleSeconds({ accessTokenTtlSeconds }: Pick<Settings, 'accessTokenTtlSeconds'>): number {
  return 2 * accessTokenTtlSeconds
}

/** How the installation presents itself on the main site, in mails and at the payment sandbox. */
export interface Brand {
  readonly name: string
  /** `https`; null for none. */
  readonly logoUrl: string | null
  /** The colour of buttons and links: `#rrggbb`, as chosen. `accentsOf` makes it legible. */
  readonly accent: string
  /** The colour of a satellite's own pages: `#rrggbb`, as chosen. `backgroundOf` makes text on it legible. */
  readonly background?: string
  /** Where people get help: `https:` or `mailto:`; null if not given. */
  readonly supportUrl: string | null
}

interface MailSettings {
  readonly smtpUrl: URL
  readonly from: Sender
}

export interface OperatorSettings {
  /** The console's, at a host that nothing else has. */
  readonly origin: Origin
  /** Addresses or CIDR blocks from which it can be reached. */
  readonly addresses: readonly string[]
}

export interface StripeSettings {
  readonly secretKey: string
  /** One for each endpoint at the provider. */
  readonly webhookSecrets: readonly string[]
  /** Prices that can be bought; the first is the default. */
  readonly priceIds: readonly string[]
  /** Further options of every hosted checkout. */
  readonly checkoutOptions: CheckoutOptions
  /** How long an account's first subscription is free; 0 means it is not. */
  readonly trialDays: number
  /** How a changed number of seats is billed in the current period. */
  readonly proration: ValuesOf<typeof PAYMENT_SETTINGS>['proration']
  /** Null is Stripe itself. */
  readonly apiUrl: URL | null
}

export interface TlsSettings {
  readonly certFile: string
  readonly keyFile: string
}

/** How the process fits into its surroundings: what it uses, and how it stops. */
export interface OperationSettings {
  /** Seconds between SIGTERM and the last accepted connection, within which load balancers must notice. */
  readonly drainSeconds: number
  /** Connections to PostgreSQL for requests; each process takes four more (docs/operations/postgresql.md). */
  readonly databasePoolSize: number
  /** A request is refused with 503 after this long without an answer from PostgreSQL. */
  readonly databaseTimeoutMs: number
  /** The most client connections at a time; more are refused. */
  readonly maxConnections: number
  /** Where metrics are served; null: nowhere. */
  readonly metricsPort: number | null
  readonly metricsHost: string
  /** Where traces are sent; null: nowhere. */
  readonly tracesUrl: URL | null
}

/** The settings are read and complete; a program around us has an environment of its own. */
const WITHOUT_ENVIRONMENT = { ignoreEnvFile: true, ignoreEnvVars: true, skipProcessEnv: true }

/** Makes the validated settings injectable everywhere as {@link Settings}. */
@Module({})
export class SettingsModule {
  static with(settings: Settings): DynamicModule {
    const namespace = registerAs('settings', () => settings)
    return {
      module: SettingsModule,
      global: true,
      imports: [ConfigModule.forRoot({ ...WITHOUT_ENVIRONMENT, load: [namespace] })],
      providers: [{ provide: Settings, inject: [namespace.KEY], useFactory: (loaded: Settings) => loaded }],
      exports: [Settings],
    }
  }
}
