import { afterEach, beforeEach, expect, test } from '@jest/globals'
import type { Page } from 'playwright-core'
import { anOwner, PASSWORD } from '../support/people.js'
import { bundleReact } from './stage/docs-code.js'
import { API, MAIN } from './stage/hosts.js'
import { type ServedFile, serveFiles } from './stage/served-files.js'
import { aStage } from './stage/stage.js'

/** Notes the calls, with their arguments; the service refuses its logout for good. */
const SITE = `
import { mainClient } from '@mainstay-auth/client'
import { LoginForm, MainstayProvider, SignedIn, SignedOut, UserButton } from '@mainstay-auth/react'
import { useEffect } from 'react'

const refusing = (url, init) =>
  url.endsWith('/api/logout') ? Promise.resolve(Response.json({}, { status: 400 })) : fetch(url, init)
const client = mainClient({ baseUrl: '${API}', fetch: refusing })
window.calls = []
window.mounts = 0
const Mounted = () => {
  useEffect(() => void window.mounts++, [])
  return null
}
const note = name => (...values) => window.calls.push([name, ...values])
const fail = () => {
  throw new Error('A fault of this page')
}
export function App() {
  return (
    <MainstayProvider client={client}>
      <Mounted />
      <SignedOut><LoginForm onLogin={fail} onRefusal={note('onRefusal')} /></SignedOut>
      <SignedIn><UserButton onLogout={note('onLogout')} /></SignedIn>
    </MainstayProvider>
  )
}`

const stage = aStage(async certificate => {
  const body = `<!doctype html><title>A site</title><link rel="icon" href="data:,"><div></div><script type="module" src="/app.js"></script>`
  const files: Readonly<Record<string, ServedFile>> = {
    '/': { type: 'text/html', body },
    '/app.js': { type: 'text/javascript', body: await bundleReact(SITE, true) },
  }
  return serveFiles(certificate, [MAIN], (_, path) => files[path] ?? null)
})

let page: Page
beforeEach(async () => {
  page = await stage.newTab()
  await page.goto(`${MAIN}/`)
})
afterEach(async () => {
  // StrictMode takes everything down and mounts it again; otherwise these tests would prove less.
  expect(await page.evaluate('mounts')).toBe(2)
})

async function enter(email: string, password = PASSWORD): Promise<void> {
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Log in' }).click()
}

test('a page that fails in onLogin sees its own error, and no refusal; onLogout gets no error either', async () => {
  await enter((await anOwner(stage.app)).email)
  await page.getByRole('button', { name: 'Account menu' }).click()
  await page.getByRole('button', { name: 'Log out' }).click()
  await page.waitForFunction('calls.length > 0')
  expect(await page.evaluate('calls')).toEqual([['onLogout']])
  expect(stage.complaints.splice(0)).toEqual(['A fault of this page'])
})

test('onRefusal gets the address that was typed, to fill it in on the main site', async () => {
  const { email } = await anOwner(stage.app)
  await enter(email, 'not the password')
  await page.waitForFunction('calls.length > 0')
  const told = await page.evaluate('calls.map(([name, { code }, ...more]) => [name, code, ...more])')
  expect(told).toEqual([['onRefusal', 'INVALID_CREDENTIALS', email]])
})
