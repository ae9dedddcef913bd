import { beforeEach, describe, expect, it } from '@jest/globals'
import { sql } from 'drizzle-orm'
import { FailedMails, failedMails, Mailer, rotateSecretKeys, type User } from '../../sources.js'
import { anEmail, anOwner } from '../../support/people.js'
import { runInProcess } from '../../support/processes/run-in-process.js'
import { anApp } from '../../support/test-app.js'
import { slow } from '../../support/tiers.js'
import { outcome } from '../support/api-calls.js'
import { ConsoleUser, startWithConsole, withConsole } from './console-calls.js'

const MINUTE = 60
const DAY = 24 * 60 * MINUTE
const REASON = 'the mailbox was full, ticket 4711'

interface ShownMail {
  readonly id: string
  readonly to: string
  readonly isLinkGood: boolean
}

describe('operator console: failed mails', () => {
  const app = anApp(withConsole())
  let operator: ConsoleUser
  /** Tests let days pass. */
  beforeEach(async () => {
    app.clock.advance(MINUTE)
    operator = await ConsoleUser.loggedIn(app)
    app.outbox.accepts = () => true
  })

  async function forgetPassword({ email }: User): Promise<void> {
    const answer = await app.post('/api/password/forgot', { email })
    expect(answer.status).toBe(202)
    await app.get(Mailer).flush()
  }

  /** An owner whose link to a new password could not be sent. */
  async function withFailedMail(): Promise<{ owner: User; id: string }> {
    const owner = await anOwner(app)
    app.outbox.accepts = () => false
    await forgetPassword(owner)
    app.outbox.accepts = () => true
    const [mail] = await failedTo(owner)
    if (!mail) throw new Error('the mail was not kept')
    return { owner, id: mail.id }
  }

  async function failedTo({ email }: { readonly email: string }): Promise<ShownMail[]> {
    const { json } = await operator.get('mails')
    return json.mails.filter(({ to }: ShownMail) => to === email)
  }

  const resend = (id: string, by = operator) => by.post(`mails/${id}/resend`, { reason: REASON })

  slow('sends a refused mail again with its link, and tells the account why', async () => {
    const { owner, id } = await withFailedMail()
    expect(await app.mailsTo(owner.email)).toEqual([])
    expect((await operator.get('mails')).json.mails[0]).toMatchObject({
      ...{ id, to: owner.email, userId: owner.id, isLinkGood: true },
      lastError: expect.stringContaining('no such mailbox'),
    })
    expect(outcome(await resend(id))).toBe('204')
    const token = await app.mailedToken(owner.email)
    const reset = await app.post('/api/password/reset', { token, password: 'a new password that nobody has' })
    expect(reset.status).toBeLessThan(300)
    expect(await failedTo(owner)).toEqual([])
    expect(outcome(await resend(id))).toBe('404 NOT_FOUND')
    expect((await app.auditRows({ action: 'mail.resend' })).slice(-1)).toMatchObject([
      { userId: owner.id, accountId: owner.accountId, detail: { operator: operator.id, reason: REASON } },
    ])
  })

  it('reveals no content: the list has no link, the database nothing readable', async () => {
    const { owner } = await withFailedMail()
    expect((await operator.get('mails')).text).not.toContain('token=')
    const rows = await app.database.run(db => db.select().from(failedMails))
    const stored = JSON.stringify(rows)
    for (const part of [owner.email, 'password', 'https://www.main.test']) expect(stored).not.toContain(part)
  })

  it('removes mails whose link has expired', async () => {
    const { owner, id } = await withFailedMail()
    app.clock.advance(31 * MINUTE)
    expect(await failedTo(owner)).toEqual([])
    expect(outcome(await resend(id))).toBe('404 NOT_FOUND')
    expect(await app.mailsTo(owner.email)).toEqual([])
  })

  slow('shows a mail whose link was replaced by a newer one, and does not send it', async () => {
    const { owner, id } = await withFailedMail()
    await forgetPassword(owner)
    expect(await failedTo(owner)).toMatchObject([{ id, isLinkGood: false }])
    expect(outcome(await resend(id))).toBe('400 INVALID_LINK')
    expect(await app.mailsTo(owner.email)).toHaveLength(1)
  })

  it('lets one of two operators send a mail at the same time', async () => {
    const { owner, id } = await withFailedMail()
    const other = await ConsoleUser.loggedIn(app)
    let letIn = (_: boolean) => {}
    const isAsked = new Promise<void>(asked => {
      app.outbox.accepts = () => {
        asked()
        return new Promise<boolean>(resolve => {
          letIn = resolve
        })
      }
    })
    const first = resend(id)
    await isAsked
    expect(outcome(await resend(id, other))).toBe('409 MAIL_BEING_SENT')
    letIn(true)
    expect(outcome(await first)).toBe('204')
    expect(await app.mailsTo(owner.email)).toHaveLength(1)
  })

  it('keeps a mail that fails again, which can be sent once more', async () => {
    const { owner, id } = await withFailedMail()
    app.outbox.accepts = () => false
    expect(outcome(await resend(id))).toBe('503 MAIL_UNAVAILABLE')
    expect(await failedTo(owner)).toHaveLength(1)
    app.outbox.accepts = () => true
    expect(outcome(await resend(id))).toBe('204')
    expect(await app.mailsTo(owner.email)).toHaveLength(1)
  })

  it('keeps a mail without a link for a week, then removes it', async () => {
    const to = anEmail()
    app.outbox.accepts = () => false
    const mail = { language: 'en', subject: 'News', site: 'Mainstay', paragraphs: ['Something.'] }
    app.get(Mailer).post({ email: to, language: null }, () => mail)
    await app.get(Mailer).flush()
    const [kept] = await failedTo({ email: to })
    app.clock.advance(7 * DAY - MINUTE)
    operator = await ConsoleUser.loggedIn(app)
    expect(await failedTo({ email: to })).toEqual([kept])
    app.clock.advance(2 * MINUTE)
    expect(await failedTo({ email: to })).toEqual([])
    await app.get(FailedMails).removeExpired()
    const rows = await app.database.run(db => db.select().from(failedMails))
    expect(rows.map(({ id }) => id)).not.toContain(kept?.id)
  })

  it('keeps a thousand, and drops those refused for good first, then the oldest', async () => {
    const database = app.database
    const now = app.clock.now().toISOString()
    await app.query(sql`
        insert into failed_mails (id, sealed, failed_at, expires_at, last_error, is_refused)
        select gen_random_uuid(), 'x.y', ${now}::timestamptz - n * interval '1 minute',
          ${now}::timestamptz + interval '1 day', 'timed out', n <= 10
        from generate_series(1, 1200) n`)
    app.outbox.accepts = () => false
    await forgetPassword(await anOwner(app))
    const left = await database.run(db => db.select().from(failedMails))
    expect(left).toHaveLength(1_000)
    expect(left.filter(({ isRefused }) => isRefused)).toEqual([])
    const oldest = Math.min(...left.map(({ failedAt }) => failedAt.getTime()))
    expect((app.clock.now().getTime() - oldest) / (MINUTE * 1000)).toBeCloseTo(1_010, -1)
    await database.run(db => db.delete(failedMails))
  })

  it('leaves out mails whose key is missing, without ending the list early', async () => {
    const { owner } = await withFailedMail()
    const later = app.clock.now().toISOString()
    await app.query(sql`
        insert into failed_mails (id, sealed, failed_at, expires_at, last_error, is_refused)
        select gen_random_uuid(), 'x.y', ${later}::timestamptz + n * interval '1 second',
          ${later}::timestamptz + interval '1 day', 'timed out', false
        from generate_series(1, 3) n`)
    const shown: string[] = []
    let after: string | null = ''
    for (let pages = 0; after !== null && pages < 10; pages++) {
      const { json } = await operator.get(`mails?limit=2${after && `&after=${after}`}`)
      shown.push(...json.mails.map(({ to }: ShownMail) => to))
      after = json.next
    }
    expect(shown).toContain(owner.email)
  })

  it('records who looked at the recipients', async () => {
    const { owner } = await withFailedMail()
    await operator.get('mails')
    const looks = await app.auditRows({ action: 'operator.list' })
    expect(looks.slice(-1)).toMatchObject([
      {
        accountId: null,
        detail: { operator: operator.id, list: 'failed mails', users: expect.arrayContaining([owner.id]) },
      },
    ])
  })
})

describe('operator console: how many mails an operator sends again', () => {
  slow('limits them for each address, also when others send them', async () => {
    const app = await startWithConsole({ MAILS_PER_ADDRESS: '2' })
    try {
      const to = anEmail()
      app.outbox.accepts = () => false
      const mail = { language: 'en', subject: 'News', site: 'Mainstay', paragraphs: ['Something.'] }
      for (let sent = 0; sent < 3; sent++) app.get(Mailer).post({ email: to, language: null }, () => mail)
      await app.get(Mailer).flush()
      app.outbox.accepts = () => true
      const operator = await ConsoleUser.loggedIn(app)
      const { mails } = (await operator.get('mails')).json as { mails: ShownMail[] }
      expect(mails).toHaveLength(3)
      const outcomes: string[] = []
      for (const { id } of mails) {
        const by = await ConsoleUser.loggedIn(app)
        outcomes.push(outcome(await by.post(`mails/${id}/resend`)))
      }
      expect(outcomes.slice(-1)).toEqual(['429 TOO_MANY_ATTEMPTS'])
      expect(outcomes[0]).toBe('204')
    } finally {
      await app.stop()
    }
  })
})

describe('the command line', () => {
  const app = anApp(withConsole())

  const mainstay = (...args: string[]) =>
    runInProcess(args, {
      ...{ NODE_ENV: 'test', DATA_DIR: app.settings.dataDir, ...app.stores },
      ...{ SMTP_URL: app.outbox.smtpUrl, MAIL_FROM: 'Mainstay <no-reply@main.test>' },
    })

  slow('lists failed mails, and sends one or all again, whose keys were rotated meanwhile', async () => {
    const addresses = [anEmail(), anEmail(), anEmail()]
    app.outbox.accepts = () => false
    const mail = { language: 'en', subject: 'News', site: 'Mainstay', paragraphs: ['Something.'] }
    for (const email of addresses) app.get(Mailer).post({ email, language: null }, () => mail)
    await app.get(Mailer).flush()
    app.outbox.accepts = to => to !== addresses[1]
    await rotateSecretKeys(app.settings.secretsKeysFile, new Date(Date.now() + DAY * 1000))
    // One that a lost key has sealed keeps the others from nothing.
    await app.query(sql`
        insert into failed_mails (id, sealed, failed_at, expires_at, last_error, is_refused)
        values (gen_random_uuid(), 'lost.AAAA', now(), now() + interval '1 day', 'timed out', false)`)
    const { output } = await mainstay('secrets:reseal')
    expect(output).toMatch(/encrypted anew: 3/)
    expect(output).toMatch(/does not have: 1;/)
    const listed = await mainstay('mail:failed')
    expect(listed.output).toMatch(/3 mails\n$/)
    const [, id = ''] = new RegExp(`(\\S+) {2}\\S+ {2}${addresses[0]}`).exec(listed.output) ?? []
    expect((await mainstay('mail:resend', id, '--reason', REASON)).code).toBe(0)
    expect((await mainstay('mail:resend', id)).errors).toBe(`There is no mail ${id}\n`)
    const [, refused = ''] = new RegExp(`(\\S+) {2}\\S+ {2}${addresses[1]}`).exec(listed.output) ?? []
    expect((await mainstay('mail:resend', refused)).errors).toContain('no such mailbox')
    const said = '550-5.1.1 no\r\n550 5.1.1 \u001b[2Jsuch mailbox'
    await app.query(sql`update failed_mails set last_error = ${said}`)
    expect((await mainstay('mail:failed')).output).toContain(
      '  550-5.1.1 no 550 5.1.1 \ufffd[2Jsuch mailbox\n',
    )
    const all = await mainstay('mail:resend', '--all')
    expect([all.code, all.output]).toEqual([1, expect.stringContaining('Mails that were sent: 1')])
    expect(all.errors).toContain(addresses[1])
    expect(app.outbox.mails.map(({ to }) => to).sort()).toEqual([addresses[0], addresses[2]].sort())
    expect((await app.auditRows({ action: 'mail.resend' }))[0]).toMatchObject({
      detail: { operator: 'command line', reason: REASON, email: addresses[0] },
    })
    expect((await mainstay('mail:resend')).errors).toContain('Say which')
  })
})
