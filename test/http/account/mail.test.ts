import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { SMTPServer } from 'smtp-server'
import { MailOutbox } from '../../../dev/mail-outbox/mail-outbox.js'
import type { Mail } from '../../../src/mail/mail.js'
import { Mailer } from '../../../src/mail/mailer.js'
import { SiteUrls } from '../../../src/mail/site-urls.js'
import { anEmail } from '../../support/people.js'
import { freePort } from '../../support/processes/free-port.js'
import { SHOP_ONE, TestApp } from '../../support/test-app.js'

const MAIL: Mail = {
  language: 'en',
  subject: 'A subject',
  site: 'www.main.test',
  paragraphs: ['One <b>paragraph</b> & more.'],
  action: { label: 'Do it', url: 'https://www.main.test/verify-email#token=abc' },
  footnote: 'Not you? Ignore this.',
}

const receiver = (email: string) => ({ email, language: null })

let app: TestApp
beforeAll(async () => {
  app = await TestApp.start()
})
afterAll(() => app.stop())

it('sends a mail as text and as HTML with the same words', async () => {
  const email = anEmail()
  app.app.get(Mailer).post(receiver(email), () => MAIL)
  const [mail] = await app.mailsTo(email)
  expect(mail).toMatchObject({ to: email, from: 'no-reply@main.test', subject: 'A subject' })
  for (const word of ['www.main.test', 'Do it', 'verify-email#token=abc', 'Not you? Ignore this.']) {
    expect(mail?.text).toContain(word)
    expect(mail?.html).toContain(word)
  }
})

it('shows what is put into a mail as text, never as markup', async () => {
  const email = anEmail()
  app.app.get(Mailer).post(receiver(email), () => MAIL)
  const [mail] = await app.mailsTo(email)
  expect(mail?.text).toContain('One <b>paragraph</b> & more.')
  expect(mail?.html).not.toContain('<b>')
})

describe('links', () => {
  it('lead to pages of the main site, with the token where no server sees it', () => {
    expect(app.app.get(SiteUrls).toMainSite('/reset-password', 'abc')).toBe(
      'https://www.main.test/reset-password#token=abc',
    )
  })

  it('lead to listed origins only, and a mistake fails loudly', () => {
    const links = app.app.get(SiteUrls)
    expect(links.toSite(SHOP_ONE)).toBe('https://shop-one.test/')
    expect(links.siteName).toBe('Mainstay')
    expect(links.forgotPassword()).toBe('https://www.main.test/forgot-password')
    for (const origin of ['https://evil.test', 'https://shop-one.test.evil.test', `${SHOP_ONE}/`, 'null'])
      expect(() => links.toSite(origin)).toThrow('is not a listed origin')
  })
})

describe('a mail server that', () => {
  it('is away for a moment gets the mail when it is back', async () => {
    const port = await freePort()
    const waiting = await TestApp.start('redis + postgres', { SMTP_URL: `smtp://127.0.0.1:${port}` })
    try {
      const email = anEmail()
      waiting.app.get(Mailer).post(receiver(email), () => MAIL)
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

  it('refuses the mail for good is not asked again, and the audit log says so', async () => {
    let asked = 0
    const refusing = new SMTPServer({
      authOptional: true,
      disabledCommands: ['STARTTLS', 'AUTH'],
      onRcptTo: (_, __, done) => {
        asked++
        done(Object.assign(new Error('no such mailbox'), { responseCode: 550 }))
      },
    })
    refusing.listen(0, '127.0.0.1')
    await once(refusing.server, 'listening')
    const { port } = refusing.server.address() as AddressInfo
    const refused = await TestApp.start('redis + postgres', { SMTP_URL: `smtp://127.0.0.1:${port}` })
    const to = anEmail()
    try {
      refused.app.get(Mailer).post(receiver(to), () => MAIL)
      await refused.app.get(Mailer).flush()
      expect(asked).toBe(1)
      expect(await refused.auditRows()).toMatchObject([
        { action: 'mail', outcome: 'failed', detail: { subject: 'A subject', email: to } },
      ])
    } finally {
      await refused.stop()
      await new Promise<void>(resolve => refusing.close(() => resolve()))
    }
  })
})

it('stops at once although mails are waiting for a server that is away', async () => {
  const stopping = await TestApp.start('redis + postgres', {
    SMTP_URL: `smtp://127.0.0.1:${await freePort()}`,
  })
  stopping.app.get(Mailer).post(receiver(anEmail()), () => MAIL)
  const startedAt = performance.now()
  await stopping.stop()
  expect(performance.now() - startedAt).toBeLessThan(5_000)
})
