import { cp, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { pack } from '../support/client/installed-package.js'
import { InstalledProject } from './support/installed-project.js'

/** Next brings 340 MB, and builds with all there is. */
const PATIENCE_MS = 300_000
const NEXT = ['next@16.4.6', 'react@19.3.1', 'react-dom@19.3.1']

describe('@mainstay-auth/react in a site made with Next 16', () => {
  let archives: string
  let project: InstalledProject
  beforeAll(async () => {
    archives = await mkdtemp(join(tmpdir(), 'mainstay-archives-'))
    const ours = await Promise.all(['packages/client', 'packages/react'].map(path => pack(path, archives)))
    project = await InstalledProject.with(...ours, ...NEXT)
    const app = join(project.folder, 'app')
    const site = join(__dirname, 'support/next-site')
    await mkdir(join(app, 'form'), { recursive: true })
    for (const file of ['layout.jsx', 'page.jsx', 'session.jsx']) await cp(join(site, file), join(app, file))
    await cp(join(site, 'form-page.jsx'), join(app, 'form/page.jsx'))
    await project.run('node_modules/.bin/next', 'build')
  }, PATIENCE_MS)
  afterAll(async () => {
    await project?.remove()
    await rm(archives, { recursive: true, force: true })
  })

  const built = (page: string) => readFile(join(project.folder, '.next/server/app', page), 'utf8')

  it('is rendered on the server as a browser shows it before the service was asked', async () => {
    const html = await built('index.html')
    expect(html).toContain('made on the server')
    expect(html).toContain('One moment …')
    for (const later of ['For those who pay', 'mainstay-user', 'mainstay-login'])
      expect(html.replace(/<script[\s\S]*?<\/script>/g, '')).not.toContain(later)
  })

  it('has a login form that is there without a script, but for passkeys', async () => {
    const html = (await built('form.html')).replace(/<script[\s\S]*?<\/script>/g, '')
    expect(html).toMatch(/<label for="([^"]+)">E-mail<\/label><input[^>]*id="\1"/)
    expect(html).toContain('value="rosa@example.com"')
    expect(html).not.toContain('Use a passkey')
  })
})
