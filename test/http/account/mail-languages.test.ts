import { describe, expect, it } from '@jest/globals'
import { Users } from '../../sources.js'
import { anEmail, anOwner, PASSWORD, sendLogin, signIn } from '../../support/people.js'
import { anApp, MAIN, TestApp } from '../../support/test-app.js'
import { slow } from '../../support/tiers.js'
import { outcome } from '../support/api-calls.js'
import { onMainSite } from '../support/reauthenticate.js'
import { aMemberWith, signInFreshly, team } from '../support/team-calls.js'

const NEW_PASSWORD = 'seven quiet otters juggle'
const GERMAN = { 'Accept-Language': 'de-DE,de;q=0.9,en;q=0.8' }
const ENGLISH = { 'Accept-Language': 'en-GB' }

describe('the language of mails', () => {
  const app = anApp()

  const post = (path: string, body: object, headers: Record<string, string> = {}) =>
    app.post(path, body, { Origin: MAIN, ...headers })
  const logIn = (email: string, headers: Record<string, string>) => sendLogin(app, { email }, headers)
  const languageOf = async (id: string) => (await app.get(Users).find(id))?.language
  const subjectsTo = async (email: string) => (await app.mailsTo(email)).map(({ subject }) => subject)

  slow('is that of whoever signs up, from the first mail on', async () => {
    const email = anEmail()
    expect(outcome(await post('/api/signup', { email, password: PASSWORD }, GERMAN))).toBe('202')
    expect(await subjectsTo(email)).toEqual([
      expect.stringMatching(/^Bestätigen Sie Ihre E-Mail-Adresse für /),
    ])
    const [mail] = await app.mailsTo(email)
    expect(mail?.html).toContain('<html lang="de">')
    const token = await app.mailedToken(email)
    expect((await post('/api/signup/verify', { token, password: PASSWORD }, GERMAN)).status).toBeLessThan(300)
    // What it is asked for in does not matter any more.
    expect(outcome(await post('/api/password/forgot', { email }, ENGLISH))).toBe('202')
    expect((await subjectsTo(email)).at(-1)).toMatch(/^Wählen Sie ein neues Passwort für /)
    expect(outcome(await post('/api/signup', { email, password: PASSWORD }, ENGLISH))).toBe('202')
    expect((await subjectsTo(email)).at(-1)).toMatch(/^Sie haben bereits ein Konto bei /)
  })

  it('is told by the first login, and changed by no later one: that may be a thief’s', async () => {
    const owner = await anOwner(app)
    expect(outcome(await logIn(owner.email, {}))).toBe('200')
    expect(await languageOf(owner.id)).toBeNull()
    expect(outcome(await logIn(owner.email, GERMAN))).toBe('200')
    expect(await languageOf(owner.id)).toBe('de')
    app.clock.advance(3_600)
    const thief = { ...ENGLISH, 'User-Agent': 'curl/8.5.0' }
    expect(outcome(await logIn(owner.email, thief))).toBe('200')
    expect(await languageOf(owner.id)).toBe('de')
    const mail = (await app.mailsTo(owner.email)).at(-1)
    expect(mail?.subject).toMatch(/^Neue Anmeldung bei .+: curl$/)
    expect(mail?.text).toContain('Wenn Sie das waren, brauchen Sie nichts zu tun.')
  })

  it('is again that of the notice, once its link has said that a login was not theirs', async () => {
    const owner = await anOwner(app)
    expect(outcome(await logIn(owner.email, GERMAN))).toBe('200')
    app.clock.advance(3_600)
    expect(outcome(await logIn(owner.email, { 'User-Agent': 'curl/8.5.0' }))).toBe('200')
    const token = await app.mailedToken(owner.email)
    const thief = await signIn(app, owner, 'main')
    const changed = await onMainSite(app, thief, 'PATCH', '/api/profile', { language: 'en' })
    expect(outcome(changed)).toBe('200')
    expect(outcome(await post('/api/sessions/not-me', { token }))).toBe('204')
    expect((await subjectsTo(owner.email)).at(-1)).toMatch(/^Wählen Sie ein neues Passwort für /)
    expect(await languageOf(owner.id)).toBe('de')
  })

  it('is not known again after such a notice in the service’s language, so that the next login tells it', async () => {
    const owner = await anOwner(app)
    expect(outcome(await logIn(owner.email, {}))).toBe('200')
    app.clock.advance(3_600)
    expect(outcome(await logIn(owner.email, { 'User-Agent': 'curl/8.5.0' }))).toBe('200')
    const token = await app.mailedToken(owner.email)
    expect(outcome(await logIn(owner.email, GERMAN))).toBe('200')
    expect(await languageOf(owner.id)).toBe('de')
    expect(outcome(await post('/api/sessions/not-me', { token }))).toBe('204')
    expect(await languageOf(owner.id)).toBeNull()
    expect((await subjectsTo(owner.email)).at(-1)).toMatch(/^Choose a new password for /)
    const reset = { token: await app.mailedToken(owner.email), password: NEW_PASSWORD }
    expect(outcome(await post('/api/password/reset', reset))).toBe('200')
    expect(outcome(await sendLogin(app, owner, { password: NEW_PASSWORD, ...GERMAN }))).toBe('200')
    expect(await languageOf(owner.id)).toBe('de')
  })

  it('learns nothing from a refused login, or from a header that says nothing', async () => {
    const owner = await anOwner(app)
    expect(outcome(await sendLogin(app, owner, { password: 'wrong', ...GERMAN }))).toBe(
      '401 INVALID_CREDENTIALS',
    )
    for (const value of ['fr', '*;q=0', 'de'.repeat(2_000), '__proto__'])
      expect(outcome(await logIn(owner.email, { 'Accept-Language': value }))).toBe('200')
    expect(await languageOf(owner.id)).toBeNull()
  })

  it('is changed in the profile, to one that there is, beside the name or without it', async () => {
    const owner = await anOwner(app)
    const session = await signIn(app, owner, 'main')
    const change = (body: object) => onMainSite(app, session, 'PATCH', '/api/profile', body)
    expect((await change({ language: 'de' })).json).toMatchObject({ language: 'de', name: null })
    expect((await change({ name: 'Rosa' })).json).toMatchObject({ language: 'de', name: 'Rosa' })
    expect((await change({ name: 'Rosa L.', language: 'en' })).json).toMatchObject({ language: 'en' })
    for (const body of [
      {},
      { language: 'fr' },
      { language: null },
      { language: ['de'] },
      { name: null, language: 'de' },
    ])
      expect(outcome(await change(body))).toBe('400 INVALID_BODY')
    expect(await languageOf(owner.id)).toBe('en')
  })

  it('of the administrators each reads their own, and who is invited that of whoever invites', async () => {
    const owner = await anOwner(app)
    expect(outcome(await logIn(owner.email, GERMAN))).toBe('200')
    const manager = await aMemberWith(app, owner, 'accountSettings')
    const session = await signInFreshly(app, owner)
    const invited = anEmail()
    const invitation = { email: invited }
    expect(outcome(await team(app, session, 'POST', '/invitations', invitation))).toBe('201')
    expect(await subjectsTo(invited)).toEqual([
      expect.stringMatching(/^Sie wurden in ein Team bei .+ eingeladen$/),
    ])
    expect(outcome(await onMainSite(app, session, 'POST', '/api/account/deletion'))).toBe('200')
    expect((await subjectsTo(owner.email)).at(-1)).toMatch(/^Ihr Konto bei .+ wird gelöscht$/)
    expect((await subjectsTo(manager.email)).at(-1)).toMatch(/^Your account at .+ will be deleted$/)
  })
})

describe('DEFAULT_LANGUAGE', () => {
  slow('is that of mails to whom nobody knows to read another', async () => {
    const app = await TestApp.start({ DEFAULT_LANGUAGE: 'de' })
    try {
      const subjectAfter = async (headers: Record<string, string>) => {
        const body = { email: anEmail(), password: PASSWORD }
        await app.post('/api/signup', body, { Origin: MAIN, ...headers })
        return (await app.mailsTo(body.email))[0]?.subject
      }
      expect(await subjectAfter({})).toMatch(/^Bestätigen Sie/)
      expect(await subjectAfter({ 'Accept-Language': 'fr-FR' })).toMatch(/^Bestätigen Sie/)
      expect(await subjectAfter(ENGLISH)).toMatch(/^Confirm/)
    } finally {
      await app.stop()
    }
  })
})
