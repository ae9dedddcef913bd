import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from '@jest/globals'
import { SMTPServer } from 'smtp-server'
import { FailedMails, type Mail, Mailer, MailOutbox, SiteUrls } from '../../sources.js'
import { anEmail } from '../../support/people.js'
import { createDatabase } from '../../support/postgres/postgres-server.js'
import { freePort } from '../../support/processes/free-port.js'
import { anApp, SHOP_ONE, TestApp } from '../../support/test-app.js'
import { slow } from '../../support/tiers.js'

const MAIL: Mail = {
  language: 'en',
  subject: 'A subject',
  site: 'www.main.test',
  paragraphs: ['One <b>paragraph</b> & more.'],
  action: { label: 'Do it', url: 'https://www.main.test/verify-email#token=abc' },
  footnote: 'Not you? Ignore this.',
}

const recipient = (email: string) => ({ email, language: null })

const app = anApp()

it('sends a mail as text and as HTML with the same words', async () => {
  const email = anEmail()
  app.get(Mailer).post(recipient(email), () => MAIL)
  const [mail] = await app.mailsTo(email)
  expect(mail).toMatchObject({ to: email, from: 'no-reply@main.test', subject: 'A subject' })
  for (const word of ['www.main.test', 'Do it', 'verify-email#token=abc', 'Not you? Ignore this.']) {
    expect(mail?.text).toContain(word)
    expect(mail?.html).toContain(word)
  }
})

it('shows what is put into a mail as text, never as markup', async () => {
  const email = anEmail()
  app.get(Mailer).post(recipient(email), () => MAIL)
  const [mail] = await app.mailsTo(email)
  expect(mail?.text).toContain('One <b>paragraph</b> & more.')
  expect(mail?.html).not.toContain('<b>')
})

slow('names its sender by the characters of MAIL_FROM, whatever they mean in a header (W12)', async () => {
  const headers: string[] = []
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    onData: (stream, _, done) => {
      text(stream).then(mail => {
        headers.push(/^From: (.*(?:\r\n[ \t].*)*)/m.exec(mail)?.[1] ?? '')
        done()
      }, done)
    },
  })
  const SMTP_URL = `smtp://127.0.0.1:${await started(server)}`
  const MAIL_FROM = 'Acme: Accounts (EU); Sons <no-reply@main.test>'
  const named = await TestApp.start({ SMTP_URL, MAIL_FROM })
  try {
    await named.app.get(Mailer).deliver(anEmail(), MAIL)
    expect(headers).toEqual(['"Acme: Accounts (EU); Sons" <no-reply@main.test>'])
  } finally {
    await named.stop()
    await stopped(server)
  }
})

describe('links', () => {
  it('lead to pages of the main site, with the token where no server sees it', () => {
    expect(app.get(SiteUrls).toMainSite('/reset-password', 'abc')).toBe(
      'https://www.main.test/reset-password#token=abc',
    )
  })

  it('lead to listed origins only, and a mistake fails loudly', () => {
    const links = app.get(SiteUrls)
    expect(links.toSite(SHOP_ONE)).toBe('https://shop-one.test/')
    expect(links.mainSite).toEqual({ site: 'Mainstay', url: 'https://www.main.test/' })
    expect(links.forgotPassword()).toBe('https://www.main.test/forgot-password')
    for (const origin of ['https://evil.test', 'https://shop-one.test.evil.test', `${SHOP_ONE}/`, 'null'])
      expect(() => links.toSite(origin)).toThrow('is not a listed origin')
  })
})

async function started({ server }: SMTPServer): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

const stopped = (server: SMTPServer) => new Promise<void>(resolve => server.close(() => resolve()))

describe('a mail server that', () => {
  slow('gets the mail when it is back after a moment', async () => {
    const port = await freePort()
    const waiting = await TestApp.start({ SMTP_URL: `smtp://127.0.0.1:${port}` })
    try {
      const email = anEmail()
      waiting.app.get(Mailer).post(recipient(email), () => MAIL)
      const outbox = await MailOutbox.start({ port })
      try {
        await waiting.app.get(Mailer).flush()
        expect(outbox.mails.map(({ to }) => to)).toEqual([email])
      } finally {
        await outbox.stop()
      }
    } finally {
      await waiting.stop()
    }
  })

  slow('is not asked again when it refuses the mail for good, and the audit log says so', async () => {
    let asked = 0
    const refusing = new SMTPServer({
      authOptional: true,
      disabledCommands: ['STARTTLS', 'AUTH'],
      onRcptTo: (_, __, done) => {
        asked++
        done(Object.assign(new Error('no such mailbox'), { responseCode: 550 }))
      },
    })
    const port = await started(refusing)
    const refused = await TestApp.start({ SMTP_URL: `smtp://127.0.0.1:${port}` })
    const to = anEmail()
    try {
      refused.app.get(Mailer).post(recipient(to), () => MAIL)
      await refused.app.get(Mailer).flush()
      expect(asked).toBe(1)
      expect(await refused.auditRows()).toMatchObject([
        { action: 'mail', outcome: 'failed', detail: { subject: 'A subject', email: to } },
      ])
    } finally {
      await refused.stop()
      await stopped(refusing)
    }
  })

  slow(
    'gets the mail at the next try when it refused the login once: it was not about the mail',
    async () => {
      let logins = 0
      const received: string[] = []
      const locked = new SMTPServer({
        allowInsecureAuth: true,
        disabledCommands: ['STARTTLS'],
        onAuth: ({ username }, _, done) =>
          logins++ === 0
            ? done(Object.assign(new Error('try later'), { responseCode: 535 }))
            : done(null, { user: username }),
        onRcptTo: ({ address }, _, done) => {
          received.push(address)
          done()
        },
      })
      const port = await started(locked)
      const sending = await TestApp.start({ SMTP_URL: `smtp://user:word@127.0.0.1:${port}` })
      const to = anEmail()
      try {
        sending.app.get(Mailer).post(recipient(to), () => MAIL)
        await sending.app.get(Mailer).flush()
        expect({ logins, received }).toEqual({ logins: 2, received: [to] })
      } finally {
        await sending.stop()
        await stopped(locked)
      }
    },
  )
})

slow('stops at once although mails are waiting for a server that is away', async () => {
  const stopping = await TestApp.start({
    SMTP_URL: `smtp://127.0.0.1:${await freePort()}`,
  })
  stopping.app.get(Mailer).post(recipient(anEmail()), () => MAIL)
  await stopping.stop()
})

slow('keeps every mail when it stops although the mail server says nothing', async () => {
  const silent = createServer().listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const database = await createDatabase()
  const { port } = silent.address() as AddressInfo
  try {
    const stopping = await TestApp.start({
      ...{ SMTP_URL: `smtp://127.0.0.1:${port}`, DATABASE_URL: database.url },
    })
    const mail: Mail = { language: 'en', subject: 'A subject', site: 'www.main.test', paragraphs: ['Hello.'] }
    for (let posted = 0; posted < 12; posted++)
      stopping.app.get(Mailer).post(recipient(anEmail()), () => mail)
    await stopping.stop()
    const next = await TestApp.start({ DATABASE_URL: database.url })
    try {
      expect(await next.app.get(FailedMails).count()).toBe(12)
      expect(await next.auditRows({ action: 'mail' })).toHaveLength(12)
    } finally {
      await next.stop()
    }
  } finally {
    await database.drop()
    silent.close()
  }
})
