/**
 * What is mutated, room by room, and the tests that have to notice: those that take milliseconds, and of the slow ones
 * those without which a room would not be tested at all.
 */
export const ROOMS = {
  tokens: {
    mutate: ['src/tokens/*.ts'],
    tests: ['key-set', 'access-tokens', 'guards'].map(name => `test/unit/tokens/${name}.test.ts`),
  },
  permissions: {
    mutate: ['src/permissions/*.ts'],
    tests: [
      'test/unit/users/permissions.test.ts',
      'test/unit/users/plans.test.ts',
      'test/unit/tokens/auth-methods.test.ts',
    ],
  },
  cors: {
    mutate: ['src/cors/*.ts'],
    tests: ['test/unit/sessions/cors-policy.test.ts', 'test/http/specification/cors.test.ts'],
  },
}
