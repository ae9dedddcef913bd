import { expect, it } from '@jest/globals'
import fc from 'fast-check'
import type { User } from '../../sources.js'
import { Authenticator } from '../../support/authenticator.js'
import { aMember, anOwner, PASSWORD, type SignedIn, signIn } from '../../support/people.js'
import { anApp, MAIN, SHOP_ONE, SHOP_TWO } from '../../support/test-app.js'
import { slow } from '../../support/tiers.js'
import { bearer, outcome } from '../support/api-calls.js'
import { handOff } from '../support/handoff-calls.js'
import { onMainSite, provenSession, reauthenticate } from '../support/reauthenticate.js'
import { addSatellite, satellitesOf } from '../support/satellite-calls.js'
import { team } from '../support/team-calls.js'

/** Of which one session has six, and all satellites have six together. */
const WRITES_PER_USER = 18
const TOO_MANY = '429 TOO_MANY_ATTEMPTS'
const UNKNOWN_ID = '00000000-0000-4000-8000-000000000000'

const app = anApp({
  WRITES_PER_USER: String(WRITES_PER_USER),
  LOGINS_PER_ACCOUNT: '600',
  TRUST_PROXY: '127.0.0.1',
})

const rename = ({ accessToken }: SignedIn, origin: string) =>
  app.request({
    ...{ method: 'PATCH', path: '/api/profile', body: { language: 'en' } },
    headers: { Origin: origin, ...bearer(accessToken) },
  })

/** A thief who has used up what is theirs tries something else. */
const refused = () => null

/** What the thief of a main session, or the page of a hostile satellite, can do in sequence. */
const DEEDS = {
  'opens a session by hand-off': async ({ stolen, opened }) => {
    const session = await handOff(app, stolen, SHOP_ONE).catch(refused)
    if (session) opened.push(session)
  },
  'opens a session by the password that was typed on the satellite': async ({ user, opened }) => {
    opened.push(await signIn(app, user, 'satellite', SHOP_TWO))
  },
  'ends a session and goes on with its token': async ({ opened }) => {
    const ended = opened.at(-1)
    if (ended) await app.post('/api/logout', {}, { Origin: SHOP_ONE, ...bearer(ended.accessToken) })
  },
  'changes what any session may change': async ({ opened }) => {
    for (const session of opened)
      for (let time = 0; time < WRITES_PER_USER; time++) await rename(session, SHOP_ONE)
  },
  'changes what only the main site may change': async ({ stolen }) => {
    for (let time = 0; time < WRITES_PER_USER; time++) {
      await onMainSite(app, stolen, 'PATCH', '/api/profile', { language: 'en' })
      await satellitesOf(app, stolen, 'POST', `/${UNKNOWN_ID}/suspend`)
      await team(app, stolen, 'POST', `/${UNKNOWN_ID}/disable`)
    }
  },
} satisfies Record<string, (thief: Thief) => Promise<void>>

interface Thief {
  readonly user: User
  readonly stolen: SignedIn
  readonly opened: SignedIn[]
}

slow('S1: no sequence of what they can do keeps the user from containing it', async () => {
  const deeds = fc.array(fc.constantFrom(...(Object.keys(DEEDS) as (keyof typeof DEEDS)[])), {
    minLength: 4,
    maxLength: 8,
  })
  await fc.assert(
    fc.asyncProperty(deeds, async sequence => {
      const user = await anOwner(app)
      const [disabled, limited] = [await aMember(app, user), await aMember(app, user)]
      const satellite = await addSatellite(app, { owner: user, session: await provenSession(app, user) })
      const thief: Thief = { user, stolen: await signIn(app, user, 'main'), opened: [] }
      for (const deed of sequence) await DEEDS[deed](thief)

      const session = await provenSession(app, user)
      const answers = [
        await satellitesOf(app, session, 'POST', `/${satellite.id}/suspend`),
        await onMainSite(app, session, 'PATCH', '/api/account', { handoffRequired: 'everyone' }),
        await satellitesOf(app, session, 'DELETE', `/${satellite.id}`),
        await team(app, session, 'POST', `/${disabled.id}/disable`),
        await team(app, session, 'PUT', `/${limited.id}/satellites`, { satellites: [SHOP_ONE] }),
      ]
      const other = await provenSession(app, user)
      answers.push(await team(app, other, 'DELETE', `/${disabled.id}`))
      const started = await onMainSite(app, other, 'POST', '/api/second-factor/totp')
      const code = new Authenticator(app, started.json.secret).code()
      answers.push(started, await onMainSite(app, other, 'POST', '/api/second-factor/totp/confirm', { code }))
      const passwords = { currentPassword: PASSWORD, password: 'seven quiet otters juggle' }
      answers.push(await onMainSite(app, other, 'POST', '/api/password/change', passwords))
      expect(answers.map(outcome)).not.toContain(TOO_MANY)
      expect(answers.at(-1)?.status).toBe(204)
    }),
    { numRuns: 5, seed: 11, examples: [[Object.keys(DEEDS) as (keyof typeof DEEDS)[]]] },
  )
})

it('S1: the token of an ended session takes nothing from its user', async () => {
  const user = await anOwner(app)
  const session = await signIn(app, user, 'main')
  for (let count = 0; count < 3; count++) {
    const ended = await signIn(app, user, 'main')
    expect((await onMainSite(app, ended, 'POST', '/api/logout', {})).status).toBe(204)
    for (let time = 0; time < WRITES_PER_USER; time++) expect((await rename(ended, MAIN)).status).toBe(401)
  }
  expect(outcome(await rename(session, MAIN))).toBe('200')
})

it('S2: all sessions that one can open on satellites share one allowance of guesses', async () => {
  const user = await anOwner(app)
  const stolen = await signIn(app, user, 'main')
  let networks = 0
  /** Each from another network, until the service says that these were enough. */
  const guessesIn = async (session: SignedIn, origin: string) => {
    for (let guesses = 0; ; guesses++) {
      const ip = `10.9.${networks++}.7`
      const answer = await reauthenticate(app, session, 'a wrong password', {
        ...{ Origin: origin, 'X-Forwarded-For': ip },
      })
      if (answer.status === 429) return guesses
      expect(answer.status).toBe(401)
    }
  }
  expect(await guessesIn(stolen, MAIN)).toBeGreaterThan(10)
  const counts: number[] = []
  for (let child = 0; child < 3; child++)
    counts.push(await guessesIn(await handOff(app, stolen, SHOP_ONE), SHOP_ONE))
  expect(counts).toEqual([10, 0, 0])
})
