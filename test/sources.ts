// What the tests use of the code of src/, dev/ and packages/. No other file under test/ imports from there by path: whoever
// moves or renames something changes its line here. A module loads when a test first uses one of its names (jest.config.mjs).
export { CLIENT_TYPES_FILE, clientTypesOf } from '../dev/api-docs/client-types.js'
export { type Handler, handlersOf, openApiDocument, previewOpenApi } from '../dev/api-docs/document.js'
export { ENDPOINTS, endpointsTable } from '../dev/api-docs/endpoints-table.js'
export { referencePage } from '../dev/api-docs/reference-page.js'
export { pageWithSection, withSection } from '../dev/generated-section.js'
export { httpsSettings } from '../dev/https.js'
export { sampleMail } from '../dev/mail-gallery.js'
export {
  MailOutbox,
  mailPage,
  outboxFor,
  type ReceivedMail,
  serveMailOutbox,
} from '../dev/mail-outbox.js'
export { redirectToOrigin, refuseOtherHosts } from '../dev/own-hosts.js'
export { DevPages } from '../dev/pages.js'
export { serveDocs } from '../dev/serve-docs.js'
export { settingsFiles } from '../dev/settings-docs/settings-files.js'
export { type Api, typedApi } from '../packages/client/src/api.js'
export { Client as AuthClient } from '../packages/client/src/client.js'
export { type HandOffOptions, type HandOffPage, handOff } from '../packages/client/src/handoff.js'
export {
  errorOf,
  isSecondFactorRequired,
  type SecondFactorRequired,
} from '../packages/client/src/mainstay-error.js'
export {
  createPasskey,
  forgetPasskey,
  loginWithPasskey,
  signWithPasskey,
  supportsPasskeys,
} from '../packages/client/src/passkeys.js'
export { type Channel, type Locks, type Platform, thisPlatform } from '../packages/client/src/platform.js'
export { repeatAfterProof } from '../packages/client/src/reauthentication.js'
export {
  cookieHome,
  type ItemStorage,
  itemStorage,
  type Storage,
  storageHome,
} from '../packages/client/src/session-home.js'
export type { ApiRequest } from '../packages/payment-sandbox/src/api.js'
export { monthsAfter, nowSeconds } from '../packages/payment-sandbox/src/clock.js'
export type { PaymentEvent } from '../packages/payment-sandbox/src/event.js'
export type { PageBrand } from '../packages/payment-sandbox/src/page.js'
export {
  PaymentSandbox,
  type PaymentSandboxOptions,
} from '../packages/payment-sandbox/src/payment-sandbox.js'
export { isCancelling, type Subscription } from '../packages/payment-sandbox/src/subscription.js'
export { ProfileStore } from '../packages/react/src/profile-store.js'
export { startTestMainstay, type TestMainstay } from '../packages/testing/src/index.js'
export { AccessTokenError } from '../packages/verify/src/access-token-error.js'
export {
  ACRS,
  AUTH_METHODS,
  type AuthMethod as VerifiedAuthMethod,
  isEnough,
  stepUpChallenge,
} from '../packages/verify/src/caller.js'
export { expressGuard } from '../packages/verify/src/express.js'
export { fastifyGuard } from '../packages/verify/src/fastify.js'
export { NestGuard } from '../packages/verify/src/nest.js'
export { type Caller, isTokenForm, readClaims } from '../packages/verify/src/token-rules.js'
export { AccessTokenVerifier, PublishedKeys, type VerifierOptions } from '../packages/verify/src/verifier.js'
export { OwnerGuard } from '../src/account/account.js'
export { AccountDeletionJob } from '../src/account/deletion.js'
export { OwnershipTransferService, TransferCompletion } from '../src/account/transfer.js'
export {
  actionsFor,
  type ClientLocation,
  loginAnomaly,
  refreshAnomaly,
  type Use,
} from '../src/anomalies/anomaly.js'
export { AnomalyMails, newDeviceNotice } from '../src/anomalies/anomaly-mails.js'
export { type DeviceId, KnownDevices } from '../src/anomalies/known-devices.js'
export { LoginAnomalyCheck } from '../src/anomalies/login-check.js'
export { AppModule, createApp } from '../src/app.js'
export {
  ALL_IDS,
  type AuditRow,
  AuditSealer,
  canonicalRow,
  chainHash,
  GENESIS_HASH,
  type IdRange,
  MAX_ROWS_AWAITED,
  rangesAbove,
  sealedUpTo,
  unsealedRows,
} from '../src/audit/chain.js'
export { AuditExport } from '../src/audit/export.js'
export { AuditRetention, type Expired } from '../src/audit/retention.js'
export { type AuditFilter, idsBetween, type Scanned, scanAuditLog, selectionOf } from '../src/audit/scan.js'
export { AuditTrail } from '../src/audit/trail.js'
export {
  AuditVerifier,
  type ChainLink,
  ChainVerifier,
  type Checkpoint,
  type Verified,
} from '../src/audit/verifier.js'
export { LinkLogins } from '../src/auth/link-login.js'
export { LoginSessions } from '../src/auth/login.js'
export { LoginLimits } from '../src/auth/login-limits.js'
export { PasswordMails } from '../src/auth/password.js'
export { PaymentStepUpGuard } from '../src/auth/reauthentication.js'
export { SecondFactorChallenges } from '../src/auth/second-factor-challenges.js'
export { AccountSettlement } from '../src/billing/account-settlement.js'
export { PriceRefusals } from '../src/billing/catalog.js'
export { CheckoutService, isSafeReturnUrl, withCheckout, withPortal } from '../src/billing/checkout.js'
export {
  type Cause,
  CustomerSnapshots,
  CustomerSync,
  CustomerWriter,
  isAnyDue,
  WaitingEvents,
} from '../src/billing/customer-sync.js'
export { BillingCustomers } from '../src/billing/customers.js'
export { EntitlementSweep, Entitlements } from '../src/billing/entitlements.js'
export {
  BillingInbox,
  BillingQueue,
  type ClaimedWork,
  closedCheckoutOf,
  customerOf,
  isOfInterest,
  kindOf,
  objectOf,
  referenceIn,
} from '../src/billing/inbox.js'
export { type BillingHealth, healthOf } from '../src/billing/operations.js'
export { ProviderUpdates, Seats } from '../src/billing/provider-updates.js'
export { BillingReconciler, SurplusSubscriptions } from '../src/billing/reconciler.js'
export { createStripe, ProviderBulkhead } from '../src/billing/stripe.js'
export {
  currentSubscription,
  ENDED_STATUSES,
  endsInLaterPeriod,
  type FirstPayment,
  isLive,
  isPaidFor,
  isPaymentPending,
  knownSubscription,
  nextChangeOf,
  pastDueSince,
  planItem,
  SUBSCRIPTION_STATES,
  type SubscriptionRow,
  Subscriptions,
  stateOf,
  viewOf,
} from '../src/billing/subscriptions.js'
export { BillingWorker } from '../src/billing/worker.js'
export { isSameSite, readCookie, reasonToRefuse } from '../src/cli/doctor/browser.js'
export { statementTodo } from '../src/cli/doctor/database.js'
export { asLines, Redaction } from '../src/cli/doctor/doctor.js'
export {
  compareClocks,
  type Finding,
  fault,
  inBytes,
  ok,
  runChecks,
  runInTurn,
} from '../src/cli/doctor/finding.js'
export { ask, trusting } from '../src/cli/doctor/probe.js'
export { checkEndpoints } from '../src/cli/doctor/services.js'
export { type ImportCounts, importUsers } from '../src/cli/import/user-import.js'
export { CommandLogger, operatorProgram, runCommand } from '../src/cli/run.js'
export { corsPolicyFor, waysIn } from '../src/cors/cors.module.js'
export type { Satellite } from '../src/cors/satellite.js'
export { originFault, previewPatternFault, proofHostOf } from '../src/cors/satellite-origin.js'
export { Satellites } from '../src/cors/satellites.js'
export { type CookieRequest, createMainstay, type Mainstay } from '../src/embed.js'
export { PolicyJob, SecondFactorPolicyService } from '../src/enrolment/policy.js'
export { FactorResets } from '../src/factors/factor-resets.js'
export { userHandleOf } from '../src/factors/passkeys.js'
export { RecoveryCodes } from '../src/factors/recovery-codes.js'
export { RememberedDevices } from '../src/factors/remembered-devices.js'
export { TotpFactors } from '../src/factors/totp.js'
export { inQuestionSince, UserFactors } from '../src/factors/user-factors.js'
export { CHALLENGE_SECONDS } from '../src/factors/webauthn.js'
export { FailedMails } from '../src/mail/failed-mails.js'
export { languageWanted, MailLanguage } from '../src/mail/language.js'
export { colorsOf, htmlOf, type MailColors, type MailSender, safeName, textOf } from '../src/mail/layout.js'
export type { Mail } from '../src/mail/mail.js'
export { Mailer, openSmtp } from '../src/mail/mailer.js'
export { de } from '../src/mail/messages/de.js'
export { en, type MailName, type Phrase, type Translated } from '../src/mail/messages/en.js'
export { MAILED_PAGES, SiteUrls } from '../src/mail/site-urls.js'
export { Figures } from '../src/operators/figures.js'
export { ConsoleAddress } from '../src/operators/operator.guard.js'
export { Operators } from '../src/operators/operators.js'
export { search as searchFrom } from '../src/operators/search.js'
export { serveSites } from '../src/pages/serve-sites.js'
export { PAGE_PATHS, pagePolicy, pageWith, Site } from '../src/pages/site.js'
export { SiteHosts } from '../src/pages/site-hosts.js'
export {
  AUDIT_ACTIONS,
  type AuditAction,
  type AuditEvent,
  auditEvent,
  CONSOLE_ACTIONS,
  SERVICE,
} from '../src/platform/audit/audit-event.js'
export { AuditLog, RefusalCleanup } from '../src/platform/audit/audit-log.js'
export { LANGUAGES } from '../src/platform/config/languages.js'
export { PACKAGE_ROOT } from '../src/platform/config/package-root.js'
export {
  type GivenSettings,
  readSettings,
  SettingsError,
  settingsFrom,
} from '../src/platform/config/read-settings.js'
export { anomalyPolicy } from '../src/platform/config/readers.js'
export { SettingSheet } from '../src/platform/config/setting.js'
export { type Brand, Settings, SettingsModule } from '../src/platform/config/settings.js'
export { ALL_SETTINGS, ANOMALY_SETTINGS, RATE_LIMIT_SETTINGS } from '../src/platform/config/tables.js'
export { accentsOf, backgroundOf, inkOn } from '../src/platform/contrast.js'
export { type Connection, type Db, MIGRATIONS_FOLDER } from '../src/platform/database/connection.js'
export { Database, rowsOf } from '../src/platform/database/database.js'
export { openDatabase } from '../src/platform/database/database.module.js'
export { lockFolder } from '../src/platform/database/folder-lock.js'
export { createFolder } from '../src/platform/database/pglite.js'
export {
  hostUrls,
  migratePostgres,
  openPostgres,
  RETRY_LIMIT_MS,
  RETRY_MS,
  SET_SESSION,
} from '../src/platform/database/postgres.js'
export { isAnswering, isOutage } from '../src/platform/database/postgres-errors.js'
export { accounts, users } from '../src/platform/database/schema/accounts.js'
export { knownDevices } from '../src/platform/database/schema/anomalies.js'
export { auditChain, auditLog, refusalCounts } from '../src/platform/database/schema/audit.js'
export {
  billingCustomers,
  billingWork,
  checkouts,
  providerEvents,
  subscriptions,
} from '../src/platform/database/schema/billing.js'
export {
  type Branding,
  SECOND_FACTOR_REQUIREMENTS,
  type SecondFactorRequirement,
} from '../src/platform/database/schema/columns.js'
export {
  factorResets,
  passkeys,
  recoveryCodes,
  rememberedDevices,
  totpFactors,
} from '../src/platform/database/schema/factors.js'
export { hourlyFigures, operatorSessions } from '../src/platform/database/schema/operators.js'
export {
  failedMails,
  hourlyBudgets,
  leases,
  oneTimeTokens,
} from '../src/platform/database/schema/platform.js'
export { satelliteProofs, satelliteRemovals, satellites } from '../src/platform/database/schema/satellites.js'
export {
  sessionChanges,
  sessionCopies,
  sessionLinks,
  sessions,
} from '../src/platform/database/schema/sessions.js'
export { removeRows } from '../src/platform/database/sql.js'
export {
  ApiError,
  causeMessage,
  ERROR_CODES,
  type ErrorCode,
  StartError,
  unavailable,
} from '../src/platform/errors/api-error.js'
export { FIELD_FAULTS, faultOf } from '../src/platform/errors/field-faults.js'
export { FairQueue, type Turn } from '../src/platform/fair-queue.js'
export { distanceKm, formatLocation, GeoIp, GeoIpModule, type Location } from '../src/platform/geoip.js'
export { LargeBodies } from '../src/platform/http/edge/bodies.js'
export {
  CONNECTIONS_CHECK_MS,
  HEADERS_TIMEOUT_MS,
  INACTIVITY_MS,
  MAX_BODY_BYTES,
  MAX_WEBHOOK_BODY_BYTES,
} from '../src/platform/http/edge/limits.js'
export { terminalLog } from '../src/platform/http/edge/terminal-log.js'
export { documentationOf } from '../src/platform/http/endpoint.js'
export {
  addressFamily,
  blockOf,
  type Client,
  clientNetworkOf,
  deviceName,
  firstAddressOf,
  MAX_USER_AGENT_BYTES,
  shortUserAgent,
  subnetOf,
} from '../src/platform/http/request.js'
export { FIELD_RULES } from '../src/platform/http/validation.js'
export { LeasedJobs, takeLease } from '../src/platform/jobs.js'
export { HourlyLog, type Log, Logger, pluralize, withLog } from '../src/platform/log.js'
export { isMetricsHost, Metrics, MetricsServer } from '../src/platform/metrics.js'
export {
  OneTimeTokenCleanup,
  OneTimeTokens,
  type Purpose,
  withdrawTokens,
} from '../src/platform/one-time-tokens.js'
export {
  ceilingOf,
  effectivePermissions,
  isPermissions,
  PERMISSIONS,
  type Permission,
  type Permissions,
  permissionBits,
  permissionsOf,
  permissionsOfBits,
  type Source,
  withinLimit,
  withinLimits,
} from '../src/platform/permissions.js'
export { PlansFile } from '../src/platform/plans.js'
export { Counters } from '../src/platform/rate-limits/counters.js'
export { bucketsOf, type LimitedAction, type LimitedKind } from '../src/platform/rate-limits/limit-rules.js'
export { CountedAction, RateLimiter } from '../src/platform/rate-limits/rate-limiter.js'
export { openRedis, RedisConnection } from '../src/platform/redis/redis.js'
export { createRedisClient, parseRedisUrl } from '../src/platform/redis/redis-client.js'
export {
  createKeyFile,
  dropRetiredSecretKeys,
  generateSecretKeys,
  type KeyState,
  keyFileText,
  loadSecretKeys,
  rotateSecretKeys,
  saveKeyFile,
  WatchedKeys,
} from '../src/platform/secrets/key-files.js'
export { SecretBox } from '../src/platform/secrets/secrets.js'
export { hashToken } from '../src/platform/secrets/token-hash.js'
export { Clock, secondsAfter, Throttle, unixSeconds, within } from '../src/platform/time.js'
export { SatelliteCheckJob } from '../src/satellites/check.job.js'
export { missingProofsMail } from '../src/satellites/mails.js'
export {
  fetchProofFile,
  hasToken,
  lookUpTxt,
  lookupFault,
  newProofToken,
  proofChallenge,
  resolverOf,
} from '../src/satellites/proof.js'
export {
  holdersElsewhere,
  type RegisteredSatellite,
  RegisteredSatellites,
  type SatelliteChange,
  type SatelliteRow,
} from '../src/satellites/registered-satellites.js'
export { SatelliteAdministration, SatelliteRegistry } from '../src/satellites/registry.js'
export { SatelliteVerification } from '../src/satellites/verification.js'
export { startFailure } from '../src/serve.js'
export {
  CHANGES_KEPT_SECONDS,
  ChangeFeed,
  COPY_LIFETIME_SECONDS,
  type CopyOrigin,
  KNOWN_EVERYWHERE_AFTER_MS,
} from '../src/sessions/change-feed.js'
export {
  mergeRecorded,
  NOTHING_RECORDED,
  type RecordedChanges,
  SessionChanges,
} from '../src/sessions/changes.js'
export { SessionCleanup } from '../src/sessions/cleanup.job.js'
export { DatabaseSessionStore } from '../src/sessions/database.session-store.js'
export { EnrolmentRefusal } from '../src/sessions/enrolment-refusal.js'
export {
  CookieBoundSessionGuard,
  CountsAsWrite,
  EnrolmentGuard,
  ExemptFromWriteLimit,
  LiveSession,
  LiveSessionGuard,
  MainSite,
  PermissionGuard,
  RequirePermission,
  WriteLimitGuard,
} from '../src/sessions/guards.js'
export { MainSourceGuard } from '../src/sessions/main-source.guard.js'
export { PaymentsPermissionGuard } from '../src/sessions/payments-permission.guard.js'
export { Reauthentication } from '../src/sessions/reauthentication.js'
export { RedisSessionStore } from '../src/sessions/redis.session-store.js'
export {
  asSessionHandle,
  asSessionId,
  handleOf,
  type IdleTimeouts,
  isSameClient,
  newSessionId,
  type Session,
  type SessionHandle,
  type SessionId,
} from '../src/sessions/session.js'
export {
  acceptedCookies,
  clearSessionCookie,
  presentedCookies,
  presentedSession,
  presentedSessionIds,
  requireMainOrigin,
  setSessionCookie,
} from '../src/sessions/session-cookie.js'
export {
  type ChangedSessions,
  type OwnedSession,
  type ReauthenticationStamp,
  SessionStore,
} from '../src/sessions/session-store.js'
export {
  type NewSession,
  PastSessions,
  type Proof,
  SessionLinks,
  SessionsService,
  SessionTerms,
} from '../src/sessions/sessions.js'
export { FactorResetJob } from '../src/team/factor-reset.js'
export { MEMBER_SORTS, MemberList, type MemberPlace, placeInCursor } from '../src/team/member-list.js'
export {
  AccessTokens,
  type AuthMethod,
  acrOf,
  authMethods,
  hasSecondFactor,
  includesPassword,
  namesOf,
  ONE_FACTOR,
  TWO_FACTORS,
  withMethods,
} from '../src/tokens/access-tokens.js'
export { JwksController } from '../src/tokens/jwks.controller.js'
export { CurrentCaller, isPublic, Public } from '../src/tokens/jwt.guard.js'
export {
  generateKeys,
  loadKeys,
  newKeySet,
  PUBLISH_BEFORE_USE_SECONDS,
  readKeySet,
  replaceKeys,
  rotateKeySet,
  rotateKeys,
  type SigningKey,
  SigningKeys,
  type StoredKey,
  verifiesUntil,
} from '../src/tokens/signing-keys.js'
export { canonicalEmail, type Email } from '../src/users/email.js'
export { UserEmails } from '../src/users/email-addresses.js'
export { AccountAdmins } from '../src/users/notices.js'
export { readImportedHash } from '../src/users/passwords/hashes.js'
export { PasswordPolicy, strengthMeter } from '../src/users/passwords/password-policy.js'
export {
  MAX_PASSWORD_LENGTH,
  normalizedPassword,
  Password,
  Passwords,
  passwordLength,
} from '../src/users/passwords/passwords.js'
export { PendingTransfers } from '../src/users/pending-changes.js'
export { AccountRecovery } from '../src/users/recovery.js'
export { type EntitledUser, initialGrant, type NewUser, type Role, type User } from '../src/users/user.js'
export { UserAdministration, UserChanges } from '../src/users/user-changes.js'
export { Users } from '../src/users/users.js'
