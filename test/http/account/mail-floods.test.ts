import { afterEach, describe, expect, it, jest } from '@jest/globals'
import { Mailer, type MailLanguage, type Permission, permissionsOf, type User } from '../../sources.js'
import { aMember, anEmail, anOwner, importMembers, sendLogin } from '../../support/people.js'
import { anApp } from '../../support/test-app.js'
import { slow } from '../../support/tiers.js'
import { outcome } from '../support/api-calls.js'
import { ask, keep } from '../support/leaving-accounts.js'
import { anEnrolledOwner, changePolicy } from '../support/policy-calls.js'
import { aProvenOwner, onMainSite, provenSession, reauthenticate } from '../support/reauthenticate.js'
import { aManager, team } from '../support/team-calls.js'

const TOO_MANY = '429 TOO_MANY_ATTEMPTS'

describe('Nobody is flooded with mails', () => {
  const app = anApp({ MAILS_PER_ADDRESS: '6' })
  afterEach(() => {
    jest.restoreAllMocks()
  })

  const mailsAbout = async ({ email }: User, subject: RegExp) =>
    (await app.mailsTo(email)).filter(mail => subject.test(mail.subject))

  slow('about the deletion of their account, which can always be cancelled', async () => {
    const owner = await aProvenOwner(app)
    for (let round = 0; round < 3; round++) {
      expect(outcome(await ask(app, owner))).toBe('200')
      // While it is pending, asking again mails nothing and counts for nothing.
      if (round < 2) expect(outcome(await ask(app, owner))).toBe('200')
      expect(outcome(await keep(app, owner))).toBe('204')
    }
    expect(outcome(await ask(app, owner))).toBe(TOO_MANY)
    expect(await mailsAbout(owner, /deleted/)).toHaveLength(6)
  })

  slow('about what their account requires, and an unchanged policy mails nothing', async () => {
    const { owner, session } = await anEnrolledOwner(app)
    const require = async (required: string, graceDays?: number) => {
      const body = { required, paymentStepUpMinutes: null, ...(graceDays !== undefined && { graceDays }) }
      return outcome(await changePolicy(app, session, body))
    }
    expect(await require('managers', 14)).toBe('200')
    for (let again = 0; again < 4; again++) expect(await require('managers')).toBe('200')
    expect(await mailsAbout(owner, /^New rules about second factors/)).toHaveLength(1)
    const outcomes: string[] = []
    for (const days of [13, 12, 11]) outcomes.push(await require('managers', days))
    expect(outcomes).toEqual(['200', '200', TOO_MANY])
    expect(await require('everyone', 11)).toBe('200')
    expect(await mailsAbout(owner, /^New rules about second factors/)).toHaveLength(4)
  })

  slow('about what a member gains again and again; another gain is mailed all the same', async () => {
    const owner = await anOwner(app)
    const { session } = await aManager(app, owner, 'accountSettings')
    expect(outcome(await reauthenticate(app, session))).toBe('200')
    const member = await aMember(app, owner)
    const grant = async (...permissions: Permission[]) =>
      outcome(await team(app, session, 'PUT', `/${member.id}/permissions`, permissionsOf(permissions)))
    for (let round = 0; round < 5; round++) {
      expect(await grant('accountSettings')).toBe('204')
      expect(await grant('viewReports')).toBe('204')
    }
    expect(await mailsAbout(owner, /may do more/)).toHaveLength(3)
    expect(await grant('teamManagement')).toBe('204')
    const last = (await mailsAbout(owner, /may do more/)).at(-1)
    expect(last?.text).toContain('They may now manage the team.')
  })

  slow('but no limit of mails keeps from an owner who has gained a power', async () => {
    const { owner, session } = await anEnrolledOwner(app)
    const member = await aMember(app, owner)
    const accomplice = await provenSession(app, member)
    for (let mail = 0; mail < 60; mail++)
      await onMainSite(app, accomplice, 'POST', '/api/email/change', { email: anEmail() })
    const path = `/${member.id}/permissions`
    const granted = permissionsOf(['teamManagement'])
    expect(outcome(await team(app, session, 'PUT', path, granted))).toBe('204')
    expect(await mailsAbout(owner, /may do more/)).toHaveLength(1)
  })

  describe('by one whose mails wait', () => {
    /** So many mails to nobody in particular; the mail server takes none before `release`. */
    function manyWaiting(count: number) {
      const mailer = app.get(Mailer)
      let release = () => {}
      const released = new Promise<void>(resolve => {
        release = resolve
      })
      const deliver = mailer.deliver.bind(mailer)
      const mailbox = anEmail()
      jest.spyOn(mailer, 'deliver').mockImplementation(async (to, mail) => {
        await released
        if (to !== mailbox) await deliver(to, mail)
      })
      const write = (words: MailLanguage) => words.mail('deleted', { site: 'a site' })
      for (let mail = 0; mail < count; mail++) mailer.post({ email: mailbox, language: null }, write)
      return release
    }

    const follow = async (path: string, body: object) => outcome(await app.post(path, body))

    it('an owner is mailed all the same, the other administrators are not', async () => {
      const { owner, session } = await anEnrolledOwner(app)
      const [administrator] = await importMembers(app, owner, 1, permissionsOf(['accountSettings']))
      const release = manyWaiting(500)
      const body = { required: 'off', paymentStepUpMinutes: 5 }
      expect(outcome(await changePolicy(app, session, body))).toBe('200')
      release()
      expect(await mailsAbout(owner, /^New rules about second factors/)).toHaveLength(1)
      expect(await mailsAbout(administrator as User, /^New rules about second factors/)).toEqual([])
      const failed = await app.auditRows({ action: 'mail' })
      expect(failed).toMatchObject([{ outcome: 'failed', detail: { email: administrator?.email } }])
    })

    slow('links that take an account back work, when nothing else can be mailed', async () => {
      const owner = await aProvenOwner(app)
      const other = anEmail()
      await onMainSite(app, owner, 'POST', '/api/email/change', { email: other })
      const confirmed = { token: await app.mailedToken(other, '/confirm-email') }
      expect(outcome(await onMainSite(app, owner, 'POST', '/api/email/confirm', confirmed))).toBe('204')
      const undo = await app.mailedToken(owner.email, '/undo-email')
      await sendLogin(
        app,
        { email: other },
        { 'User-Agent': 'Mozilla/5.0 (Macintosh) Version/17.0 Safari/605.1.15' },
      )
      const notMe = await app.mailedToken(other, '/not-me')
      const release = manyWaiting(1000)
      expect(await follow('/api/password/forgot', { email: owner.email })).toBe('503 MAIL_UNAVAILABLE')
      expect(await follow('/api/sessions/not-me', { token: notMe })).toBe('204')
      expect(await follow('/api/email/undo', { token: undo })).toBe('204')
      release()
      expect(await mailsAbout(owner, /^Choose a new password/)).toHaveLength(1)
    })
  })
})

describe('Members without any permission', () => {
  const app = anApp({ MAILS_PER_ACCOUNT: '8' })

  it('do not use up the mails of their account by asking for other addresses (S6)', async () => {
    const owner = await anOwner(app)
    for (let member = 0; member < 2; member++) {
      const session = await provenSession(app, await aMember(app, owner))
      const asked: string[] = []
      for (let time = 0; time < 7; time++)
        asked.push(outcome(await onMainSite(app, session, 'POST', '/api/email/change', { email: anEmail() })))
      expect(asked).toEqual([...Array(6).fill('202'), TOO_MANY])
    }
    const session = await provenSession(app, owner)
    expect(outcome(await onMainSite(app, session, 'POST', '/api/email/change', { email: anEmail() }))).toBe(
      '202',
    )
    const invitation = { email: anEmail(), permissions: permissionsOf(['dataEntry']) }
    expect(outcome(await team(app, session, 'POST', '/invitations', invitation))).toBe('201')
  })
})
