import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { type Browser, chromium } from 'playwright-core'
import { documentedBlocks } from '../support/client/documented-code.js'
import { pack } from '../support/client/installed-package.js'
import { eventually } from '../support/eventually.js'
import { anOwner, PASSWORD } from '../support/people.js'
import { freePort } from '../support/processes/free-port.js'
import { TestApp } from '../support/test-app.js'
import { InstalledProject } from './support/installed-project.js'

const PATIENCE_MS = 300_000
const HTML = `<!doctype html><html lang="en"><head><title>A site</title><link rel="icon" href="data:,"></head>
  <body><div id="app"></div><script type="module" src="/src/main.js"></script></body></html>`

const FRAMEWORKS = [
  {
    heading: 'Vue',
    packages: ['vite@7', 'vue@3', '@vitejs/plugin-vue@6'],
    files: ['src/session.ts', 'src/App.vue', 'vite.config.ts'],
    more: {
      'src/main.js': `import { createApp } from 'vue'
        import App from './App.vue'
        createApp(App).mount('#app')`,
    },
  },
  {
    heading: 'Svelte',
    packages: ['vite@7', 'svelte@5', '@sveltejs/vite-plugin-svelte@6'],
    files: ['src/session.ts', 'src/App.svelte'],
    more: {
      'src/main.js': `import { mount } from 'svelte'
        import App from './App.svelte'
        mount(App, { target: document.querySelector('#app') })`,
      'vite.config.ts': `import { svelte } from '@sveltejs/vite-plugin-svelte'
        export default { plugins: [svelte()] }`,
    },
  },
]

let browser: Browser
beforeAll(async () => {
  const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium'
  browser = await chromium.launch({ executablePath, args: ['--disable-gpu'] })
})
afterAll(() => browser?.close())

describe.each(FRAMEWORKS)(
  'the site in docs/integrate made with $heading',
  ({ heading, packages, files, more }) => {
    let project: InstalledProject
    let service: TestApp
    let server: ChildProcess
    let site: string
    beforeAll(async () => {
      const port = await freePort()
      site = `http://127.0.0.1:${port}`
      service = await TestApp.start({ ALLOWED_ORIGINS: site, SITE_NAME: 'Example' })
      project = await InstalledProject.with(await pack('packages/client'), ...packages)
      await mkdir(join(project.folder, 'src'))
      const documented = await documentedBlocks(heading)
      for (const [index, file] of files.entries())
        await project.write(
          file,
          (documented[index] as string).replaceAll('https://auth.example.com', service.url),
        )
      for (const [file, text] of Object.entries({ ...more, 'index.html': HTML }))
        await project.write(file, text)
      await project.run('node_modules/.bin/vite', 'build')
      server = spawn(
        process.execPath,
        ['node_modules/vite/bin/vite.js', 'preview', '--host', '127.0.0.1', '--port', String(port)],
        { cwd: project.folder, env: project.environment(), stdio: 'ignore' },
      )
      const isUp = () =>
        fetch(site).then(
          ({ ok }) => ok,
          () => false,
        )
      await eventually(isUp, { timeoutMs: 60_000, what: 'the site to be up' })
    }, PATIENCE_MS)
    afterAll(async () => {
      server?.kill()
      if (server) await once(server, 'exit')
      await service?.stop()
      await project?.remove()
    })

    it('shows a login while nobody is logged in, and what they may see afterwards', async () => {
      const { email } = await anOwner(service)
      const page = await browser.newPage()
      const complaints: string[] = []
      page.on('pageerror', error => complaints.push(String(error)))
      page.on('console', message => {
        if (['error', 'warning'].includes(message.type())) complaints.push(message.text())
      })
      await page.goto(site)
      await page.getByRole('button', { name: 'Continue with Example' }).waitFor()
      expect(await page.getByText('You may see reports.').isVisible()).toBe(false)
      await page.getByLabel('E-mail').fill(email)
      await page.getByLabel('Password').fill(PASSWORD)
      await page.getByRole('button', { name: 'Log in' }).click()
      await page.getByText('You may see reports.').waitFor()
      await page.reload()
      await page.getByText('You may see reports.').waitFor()
      await page.getByRole('button', { name: 'Log out' }).click()
      await page.getByRole('button', { name: 'Continue with Example' }).waitFor()
      expect(complaints).toEqual([])
      await page.close()
    })
  },
)
