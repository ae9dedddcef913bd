import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from '@jest/globals'

const SRC = new URL('../../../src/', import.meta.url)

/** The files of src that have this in them, without what only names it in a comment. */
function filesWith(pattern: RegExp): string[] {
  return readdirSync(SRC, { recursive: true, encoding: 'utf8' })
    .filter(file => file.endsWith('.ts'))
    .filter(file =>
      pattern.test(readFileSync(new URL(file, SRC), 'utf8').replaceAll(/^ *(\/?\*|\/\/).*/gm, '')),
    )
    .sort()
}

it('every way to log in goes through the one door', () => {
  expect(filesWith(/\.openSession\(/)).toEqual([
    'auth/handoff.ts',
    'auth/link-login.ts',
    'auth/login.ts',
    'auth/passkey-login.ts',
    'auth/second-factor.ts',
  ])
})

it('nobody but the door opens a session, or stores one', () => {
  expect(filesWith(/\bSessionsService\b/)).toEqual([
    'auth/login.ts',
    'sessions/sessions.module.ts',
    'sessions/sessions.ts',
  ])
  expect(filesWith(/\bstore\s*\.add\(/)).toEqual(['sessions/sessions.ts'])
  expect(filesWith(/insert\(sessions\)|insertRows\(\w+, sessions,/)).toEqual([
    'sessions/database.session-store.ts',
  ])
})

it('only a session gets an access token', () => {
  expect(filesWith(/accessTokens\.issue\(/)).toEqual(['sessions/sessions.ts'])
})
