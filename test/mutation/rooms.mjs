/**
 * What is mutated, room by room, and the tests that have to notice: those that take milliseconds, and of the slow ones
 * those without which a room would not be tested at all.
 */
export const ROOMS = {
  tokens: {
    mutate: ['src/tokens/*.ts'],
    tests: ['key-set', 'access-tokens', 'guards', 'sign-jwt'].map(name => `test/unit/tokens/${name}.test.ts`),
  },
  permissions: {
    mutate: ['src/permissions/*.ts'],
    tests: [
      'test/unit/permissions/permissions.test.ts',
      'test/unit/permissions/plans.test.ts',
      'test/unit/permissions/auth-methods.test.ts',
    ],
  },
  cors: {
    mutate: ['src/cors/*.ts'],
    tests: ['test/unit/cors/cors-policy.test.ts', 'test/http/specification/cors.test.ts'],
  },
  sessions: {
    mutate: [
      'src/sessions/{session,session-actor,session-cookie,session-sites,reauthentication}.ts',
      'src/sessions/guards/*.ts',
      'src/sessions/stores/{redis-session,session-scripts,session-store,coded-user-agent}.ts',
    ],
    tests: [
      ...['session-id', 'session-cookie', 'session-sites', 'session-encoding', 'coded-user-agent'],
      ...['guards', 'main-site'],
    ].map(name => `test/unit/sessions/${name}.test.ts`),
    ignoreStatic: true,
  },
  'session-records': {
    mutate: ['src/sessions/{user-sessions,session-links,session-cleanup}.ts'],
    tests: ['test/unit/sessions/session-records.test.ts'],
    ignoreStatic: true,
  },
  'session-changes': {
    mutate: ['src/sessions/revocation/{session-change*,recorded-changes}.ts'],
    tests: ['test/unit/sessions/session-changes.test.ts'],
    ignoreStatic: true,
  },
  'session-stores': {
    mutate: [
      'src/sessions/sessions.service.ts',
      'src/sessions/stores/*.ts',
      '!src/sessions/stores/{redis-session,session-scripts,session-store,coded-user-agent}.ts',
      'src/sessions/active/{active,own}-sessions.ts',
    ],
    tests: [
      'test/contracts/redis-session-store.test.ts',
      'test/contracts/session-store.test.ts',
      ...['session-limit', 'active-sessions', 'revocation'].map(name => `test/http/sessions/${name}.test.ts`),
    ],
    ignoreStatic: true,
  },
  billing: {
    mutate: [
      'src/billing/subscription/{subscription-rules,current-subscription}.ts',
      'src/billing/provider/hourly-lines.ts',
    ],
    tests: [
      'test/unit/billing/subscription-rules.test.ts',
      'test/unit/billing/hourly-lines.test.ts',
      'test/unit/permissions/plans.test.ts',
    ],
  },
  'billing-queue': {
    mutate: ['src/billing/sync/{billing-inbox,billing-queue}.ts'],
    tests: ['test/unit/billing/provider-events.test.ts', 'test/unit/billing/billing-queue.test.ts'],
    ignoreStatic: true,
  },
  'billing-worker': {
    mutate: ['src/billing/sync/billing-worker.ts'],
    tests: ['test/unit/billing/billing-worker.test.ts'],
    ignoreStatic: true,
  },
  'entitlement-sweep': {
    mutate: ['src/billing/entitlements/entitlement-sweep.ts'],
    tests: ['test/unit/billing/entitlement-sweep.test.ts'],
    ignoreStatic: true,
  },
  'billing-records': {
    mutate: [
      'src/billing/subscription/subscriptions.ts',
      'src/billing/sync/{customer-writer,waiting-events}.ts',
      'src/billing/entitlements/{entitlements,user-entitlements}.ts',
    ],
    tests: ['test/unit/billing/customer-records.test.ts', 'test/unit/billing/entitlements.test.ts'],
    ignoreStatic: true,
  },
}
