import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { Mailer } from '../../src/mail/mailer.js'
import { anEmail } from '../support/people.js'
import { TestApp } from '../support/test-app.js'

let app: TestApp
beforeAll(async () => {
  app = await TestApp.start()
})
afterAll(() => app.stop())

it('sends a mail as text and as HTML', async () => {
  const email = anEmail()
  app.app.get(Mailer).post(email, {
    subject: 'A subject',
    site: 'www.main.test',
    paragraphs: ['One <b>paragraph</b>.'],
    action: { label: 'Do it', url: 'https://www.main.test/verify-email#token=abc' },
  })
  const [mail] = await app.mailsTo(email)
  expect(mail).toMatchObject({ to: email, from: 'no-reply@main.test', subject: 'A subject' })
  expect(mail?.text).toContain('https://www.main.test/verify-email#token=abc')
  expect(mail?.html).not.toContain('<b>')
})
