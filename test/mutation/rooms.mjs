/**
 * What is mutated, room by room, and the tests that have to notice: those that take milliseconds, and of the slow ones
 * those without which a room would not be tested at all.
 */
export const ROOMS = {
  tokens: {
    mutate: ['src/tokens/{access-tokens,signing-keys}.ts'],
    tests: ['key-set', 'access-tokens', 'auth-methods', 'claims'].map(
      name => `test/unit/tokens/${name}.test.ts`,
    ),
  },
  permissions: {
    mutate: ['src/platform/permissions.ts', 'src/platform/plans.ts'],
    tests: ['test/unit/permissions/permissions.test.ts', 'test/unit/plans/plans-file.test.ts'],
  },
  cors: {
    mutate: ['src/cors/cors.module.ts'],
    tests: ['test/unit/cors/cors-policy.test.ts'],
  },
  sessions: {
    mutate: ['src/sessions/{session,session-actor,session-cookie,reauthentication,guards}.ts'],
    tests: [
      ...['session-id', 'session-cookie', 'reauthentication', 'write-limit', 'main-site', 'same-client'],
    ].map(name => `test/unit/sessions/${name}.test.ts`),
    ignoreStatic: true,
  },
  'session-opening': {
    mutate: ['src/sessions/sessions.ts'],
    tests: [
      'test/unit/sessions/session-terms.test.ts',
      'test/unit/sessions/past-sessions.test.ts',
      'test/unit/sessions/session-records.test.ts',
      'test/unit/sessions/session-opening.test.ts',
      'test/unit/auth/recorded-login.test.ts',
    ],
    ignoreStatic: true,
  },
  'session-records': {
    mutate: ['src/sessions/cleanup.job.ts'],
    tests: ['test/unit/sessions/session-records.test.ts'],
    ignoreStatic: true,
  },
  'session-changes': {
    mutate: ['src/sessions/changes.ts'],
    tests: ['test/unit/sessions/session-changes.test.ts'],
    ignoreStatic: true,
  },
  'change-feed': {
    mutate: ['src/sessions/change-feed.ts'],
    tests: ['test/unit/sessions/change-feed.test.ts'],
    ignoreStatic: true,
  },
  'active-sessions': {
    mutate: ['src/sessions/active-sessions.ts'],
    tests: ['test/http/sessions/active-sessions.test.ts'],
    ignoreStatic: true,
  },
  'session-stores': {
    mutate: ['src/sessions/{database,redis}.session-store.ts'],
    tests: ['test/contracts/redis-session-store.test.ts', 'test/contracts/session-store.test.ts'],
    ignoreStatic: true,
  },
  billing: {
    mutate: ['src/billing/{catalog,checkout,subscriptions}.ts', 'src/platform/log.ts'],
    tests: [
      ...['subscription-rules', 'price-refusal', 'return-url'].map(
        name => `test/unit/billing/${name}.test.ts`,
      ),
      'test/unit/log/hourly-log.test.ts',
      'test/unit/plans/plans-file.test.ts',
    ],
  },
  'billing-queue': {
    mutate: ['src/billing/inbox.ts'],
    tests: ['test/unit/billing/provider-events.test.ts', 'test/unit/billing/billing-queue.test.ts'],
    ignoreStatic: true,
  },
  'billing-worker': {
    mutate: ['src/billing/worker.ts'],
    tests: ['test/unit/billing/billing-worker.test.ts'],
    ignoreStatic: true,
  },
  'entitlement-sweep': {
    mutate: ['src/billing/entitlements.ts'],
    tests: ['test/unit/billing/entitlement-sweep.test.ts'],
    ignoreStatic: true,
  },
  'billing-records': {
    mutate: ['src/billing/{account-settlement,customer-sync,entitlements,subscriptions}.ts'],
    tests: ['customer-records', 'entitlements', 'account-settlement'].map(
      name => `test/unit/billing/${name}.test.ts`,
    ),
    ignoreStatic: true,
  },
}
