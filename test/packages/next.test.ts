import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { transform } from 'esbuild'
import { chromium } from 'playwright-core'
import { requestCode } from '../http/support/handoff-calls.js'
import { documentedBlocks } from '../support/client/documented-code.js'
import { pack } from '../support/client/installed-package.js'
import { eventually } from '../support/eventually.js'
import { anOwner, PASSWORD, signIn } from '../support/people.js'
import { freePort } from '../support/processes/free-port.js'
import { TestApp } from '../support/test-app.js'
import { InstalledProject } from './support/installed-project.js'

/** Next brings 340 MB, and builds with all there is. */
const PATIENCE_MS = 300_000
const FORM_PAGE = `import { LoginForm } from '@mainstay-auth/react'
  export default () => <LoginForm defaultEmail="rosa@example.com" passkeys />`
const NEXT = ['next@16.4.6', 'react@19.3.1', 'react-dom@19.3.1']

describe('@mainstay-auth/react in a site made with Next 16', () => {
  let project: InstalledProject
  let service: TestApp
  let site: string
  beforeAll(async () => {
    site = `http://127.0.0.1:${await freePort()}`
    service = await TestApp.start({ ALLOWED_ORIGINS: site })
    const ours = await Promise.all(['packages/client', 'packages/react'].map(pack))
    project = await InstalledProject.with(...ours, ...NEXT)
    await mkdir(join(project.folder, 'app/form'), { recursive: true })
    const documented = await documentedBlocks('Next')
    for (const [index, name] of ['session', 'layout', 'page'].entries())
      await project.write(`app/${name}.jsx`, await asJavaScript(documented[index] as string))
    await project.write('app/form/page.jsx', FORM_PAGE)
    // Otherwise a browser asks for /favicon.ico, and complains.
    await project.write('app/icon.svg', '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"/>')
    await project.run('node_modules/.bin/next', 'build')
  }, PATIENCE_MS)
  afterAll(async () => {
    await service?.stop()
    await project?.remove()
  })

  const built = (page: string) => readFile(join(project.folder, '.next/server/app', page), 'utf8')

  it('is rendered on the server as a browser shows it before the service was asked', async () => {
    const html = await built('index.html')
    expect(html).toContain('made on the server')
    expect(html).toContain('One moment …')
    for (const later of ['You may see reports', 'mainstay-user', 'mainstay-login'])
      expect(html.replace(/<script[\s\S]*?<\/script>/g, '')).not.toContain(later)
  })

  it('has a login form that is there without a script, but for passkeys', async () => {
    const html = (await built('form.html')).replace(/<script[\s\S]*?<\/script>/g, '')
    expect(html).toMatch(/<label for="([^"]+)">E-mail<\/label><div[^>]*><input[^>]*id="\1"/)
    expect(html).toContain('value="rosa@example.com"')
    expect(html).not.toContain('Use a passkey')
  })

  it('is taken over by the browser without a word, and logs in there', async () => {
    const { email } = await anOwner(service)
    const server = await startSite()
    const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium'
    const browser = await chromium.launch({ executablePath, args: ['--disable-gpu'] })
    try {
      const page = await browser.newPage()
      // React says here where what it draws differs from what the server sent.
      const complaints: string[] = []
      page.on('pageerror', error => complaints.push(String(error)))
      page.on('console', message => {
        if (['error', 'warning'].includes(message.type())) complaints.push(message.text())
      })
      await page.goto(`${site}/form`)
      await page.getByRole('button', { name: 'Use a passkey' }).waitFor()
      await page.goto(site)
      await page.getByLabel('E-mail').fill(email)
      await page.getByLabel('Password').fill(PASSWORD)
      await page.getByRole('button', { name: 'Log in' }).click()
      for (const isLoadedAnew of [false, true]) {
        if (isLoadedAnew) await page.reload()
        await page.getByRole('button', { name: `Account menu: ${email}` }).click()
        await page.getByRole('button', { name: 'Log out' }).waitFor()
        await page.getByText('You may see reports.').waitFor()
      }
      expect(complaints).toEqual([])
    } finally {
      await browser.close()
      server.kill()
      await once(server, 'exit')
    }
  })

  it('comes back from the main site to the page that was left, with nothing in its address after a reload', async () => {
    const owner = await anOwner(service)
    const main = await signIn(service, owner, 'main')
    const server = await startSite()
    const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium'
    const browser = await chromium.launch({ executablePath, args: ['--disable-gpu'] })
    try {
      const page = await browser.newPage()
      await page.route('**/handoff', route =>
        route.fulfill({ contentType: 'text/html', body: 'The main site' }),
      )
      await page.goto(`${site}/?size=m`)
      await page.getByRole('button', { name: 'Continue with Mainstay' }).click()
      await page.getByText('The main site').waitFor()
      const asked = new URL(page.url()).hash
      const { satellite = '', ...journey } = Object.fromEntries(new URLSearchParams(asked.slice(1)))
      const { redirect } = (await requestCode(service, main, satellite, journey as never)).json
      // The issuer is the address that clients know, which is not the test's.
      const [known, tested] = [service.settings.jwtIssuer, service.url].map(encodeURIComponent)
      await page.goto(redirect.replace(known, tested))
      await page.getByText('You may see reports.').waitFor()
      expect(page.url()).toBe(`${site}/?size=m`)
      // Next's router may write once more where it began, with the code that is used up.
      await page.evaluate('next.router.refresh()')
      await page.waitForLoadState('networkidle')
      await page.reload()
      await page.getByRole('button', { name: `Account menu: ${owner.email}` }).waitFor()
      await page.waitForURL(`${site}/?size=m`)
    } finally {
      await browser.close()
      server.kill()
      await once(server, 'exit')
    }
  })

  /** Next would install TypeScript by itself. */
  async function asJavaScript(code: string): Promise<string> {
    const named = code.replace('https://auth.example.com', service.url)
    return (await transform(named, { loader: 'tsx', jsx: 'preserve' })).code
  }

  async function startSite(): Promise<ChildProcess> {
    const { hostname, port } = new URL(site)
    const next = join(project.folder, 'node_modules/next/dist/bin/next')
    const args = [next, 'start', '--hostname', hostname, '--port', port]
    const server = spawn(process.execPath, args, {
      cwd: project.folder,
      env: project.environment(),
      stdio: 'ignore',
    })
    const isUp = () =>
      fetch(site).then(
        ({ ok }) => ok,
        () => false,
      )
    await eventually(isUp, { timeoutMs: 60_000, what: 'the site to be up' })
    return server
  }
})
