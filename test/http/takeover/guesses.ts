import { PASSWORD } from '../../support/people.js'
import type { Browser } from './browser.js'

/** What fills limits. */

/** Wrong codes after the right password; `password` is null for somebody who does not know any. */
export async function guessCodes(browser: Browser, email: string, password: string | null): Promise<void> {
  const body = { email, password: password ?? PASSWORD, source: 'main' }
  const { json } = await browser.open('/api/login', body)
  if (json?.code !== 'SECOND_FACTOR_REQUIRED') return
  const { challenge } = json
  for (const code of ['000000', '123456', '999999'])
    await browser.open('/api/login/second-factor', { challenge, code })
}

/** From several networks, until the account's counter is full. */
export async function guessPasswords(browser: Browser, email: string): Promise<void> {
  const body = { email, password: 'not that', source: 'main' }
  for (let n = 1; n <= 12; n++) await browser.open('/api/login', body, `100.64.${n}.1`)
}

/** From several networks, until no stranger can have another link mailed. */
export async function floodMailbox(browser: Browser, email: string): Promise<void> {
  for (let n = 1; n <= 8; n++) await browser.open('/api/password/forgot', { email }, `100.65.${n}.1`)
}
