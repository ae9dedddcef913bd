import { beforeAll, describe, expect, it, jest } from '@jest/globals'
import { type Branding, Mailer, type ReceivedMail, RegisteredSatellites, type User } from '../../sources.js'
import { aMember, anEmail, anOwner, sendLogin } from '../../support/people.js'
import { aSatellite, setSatelliteState } from '../../support/satellites.js'
import { anApp, MAIN } from '../../support/test-app.js'
import { outcome } from '../support/api-calls.js'
import { anOrigin } from '../support/satellite-calls.js'
import { closeTo, signInFreshly, team } from '../support/team-calls.js'

const BRANDING: Branding = {
  name: 'Rose & Sons',
  logoUrl: 'https://cdn.example.net/rose.svg',
  accent: '#b91c1c',
  background: '#fef2f2',
}
const [FIREFOX, SAFARI] = [
  'Mozilla/5.0 (X11; Linux x86_64; rv:142.0) Gecko/20100101 Firefox/142.0',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 Version/26.0 Mobile/15E148 Safari/604.1',
]

describe('The branding of a satellite', () => {
  const app = anApp()
  let owner: User
  const origin = anOrigin()
  const { host } = new URL(origin)
  const branded = `Rose & Sons (${host})`
  beforeAll(async () => {
    owner = await anOwner(app)
    await aSatellite(app, owner, origin, { branding: BRANDING })
  })

  function expectBranded({ html }: ReceivedMail): void {
    expect(html).toContain('src="https://cdn.example.net/rose.svg"')
    // Most people have nothing to press in a mail about a new device.
    if (!html.includes('This was not me'))
      expect(html).toContain('background:#b91c1c;border:1px solid #ffffff')
    expect(html).toContain('background:#fef2f2')
    expect(html).toContain('Rose &#38; Sons')
  }

  it('and its name are in no mail before it is proven', async () => {
    const stranger = await anOwner(app)
    const evil = anOrigin()
    const registered = app.get(RegisteredSatellites)
    await app.database.transaction(transaction =>
      registered.add(transaction, {
        accountId: stranger.accountId,
        origin: evil,
        name: 'A bank',
        kind: 'production',
      }),
    )
    const email = anEmail()
    const session = await signInFreshly(app, stranger)
    const invited = await team(app, session, 'POST', '/invitations', { email, satellites: [evil] })
    expect(outcome(invited)).toBe('201')
    const { text } = await newestTo(email)
    expect(text).toContain('You will have access to some of the team’s sites.')
    expect(text).not.toContain(new URL(evil).host)
  })

  async function newestTo(email: string): Promise<ReceivedMail> {
    return (await app.mailsTo(email)).at(-1) as ReceivedMail
  }

  async function logIn(user: User, at: string, userAgent: string): Promise<void> {
    const answer = await sendLogin(app, user, { source: 'satellite', Origin: at, 'User-Agent': userAgent })
    expect(outcome(answer)).toBe('200')
  }

  async function forgot({ email }: User): Promise<ReceivedMail> {
    const request = {
      method: 'POST',
      path: '/api/password/forgot',
      headers: { Origin: MAIN },
      body: { email },
    }
    expect(outcome(await app.request(request))).toBe('202')
    return newestTo(email)
  }

  async function invitedTo(satellites: readonly string[] | null): Promise<ReceivedMail> {
    const email = anEmail()
    const body = { email, ...(satellites && { satellites }) }
    const answer = await team(app, await signInFreshly(app, owner), 'POST', '/invitations', body)
    expect(outcome(answer)).toBe('201')
    return newestTo(email)
  }

  it('is on invitations to it alone', async () => {
    const mail = await invitedTo([origin])
    expectBranded(mail)
    expect(mail.text).toContain(`You will have access to ${branded}.`)
    expect(mail.text).toContain(`\n-- \n${branded}\n`)
    const other = anOrigin()
    await aSatellite(app, owner, other)
    for (const satellites of [null, [other], [origin, other]]) {
      const plain = await invitedTo(satellites)
      expect(plain.html).not.toContain('rose.svg')
      expect(plain.text).not.toContain('Rose')
    }
  })

  it('is on the link for a new password of who is invited there alone', async () => {
    const member = await aMember(app, owner)
    expect((await forgot(member)).html).not.toContain('rose.svg')
    await closeTo(app, member, [origin])
    const mail = await forgot(member)
    expectBranded(mail)
    expect(mail.subject).toBe(`Choose a new password for ${branded}`)
    expect(mail.text).toMatch(/https:\/\/www\.main\.test\/reset-password#token=/)
  })

  it('is on the mail about a login there on a new device', async () => {
    const member = await aMember(app, owner)
    await logIn(member, origin, FIREFOX)
    await logIn(member, origin, SAFARI)
    const mail = await newestTo(member.email)
    expectBranded(mail)
    expect(mail.subject).toBe(`New login at ${branded}: Safari on iPhone`)
  })

  it('of a preview is on mails about each of its hosts', async () => {
    const domain = new URL(anOrigin()).host
    const pattern = `https://*.${domain}`
    await aSatellite(app, owner, pattern, { kind: 'preview', branding: BRANDING })
    const member = await aMember(app, owner)
    await closeTo(app, member, [pattern])
    for (const device of [FIREFOX, SAFARI]) await logIn(member, `https://pr-7.${domain}`, device)
    const mail = await newestTo(member.email)
    expectBranded(mail)
    expect(mail.subject).toContain(`Rose & Sons (pr-7.${domain})`)
  })

  it('is left out of sentences when its name could be a link, but not of the colours', async () => {
    const elsewhere = anOrigin()
    await aSatellite(app, owner, elsewhere, { branding: { ...BRANDING, name: 'evil.example/login' } })
    const mail = await invitedTo([elsewhere])
    expect(mail.html).toContain('background:#b91c1c')
    expect(mail.text).toContain(`You will have access to ${new URL(elsewhere).host}.`)
    expect(mail.text).not.toContain('evil')
  })

  it('is that of the own account, and of a proven satellite', async () => {
    const stranger = await anOwner(app)
    const about = { accountId: stranger.accountId, origin }
    const paragraphs = ['Hello']
    const mailAbout = async (): Promise<ReceivedMail> => {
      const email = anEmail()
      app.get(Mailer).postAbout({ email, language: null }, about, (_, site) => ({
        ...{ language: 'en', subject: `About ${site}`, site: MAIN, paragraphs },
      }))
      return newestTo(email)
    }
    expect(await mailAbout()).toMatchObject({ subject: 'About Mainstay' })
    const theirs = await aSatellite(app, stranger, anOrigin(), { branding: BRANDING })
    about.origin = theirs.origin
    expect((await mailAbout()).subject).toBe(`About Rose & Sons (${new URL(theirs.origin).host})`)
    const down = jest.spyOn(app.database, 'run').mockRejectedValue(new Error('down'))
    try {
      expect(await mailAbout()).toMatchObject({ subject: `About ${new URL(theirs.origin).host}` })
    } finally {
      down.mockRestore()
    }
    await setSatelliteState(app, theirs, 'suspended')
    expect((await mailAbout()).subject).not.toContain('Rose & Sons')
  })
})
