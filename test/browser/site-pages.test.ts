import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Page } from 'playwright-core'
import type { User } from '../../src/accounts/user.js'
import { aMember, anOwner } from '../support/people.js'
import { seriousFindings } from './accessibility.js'
import { startBuiltPages } from './built-pages.js'
import { MAIN, SHOP_ONE } from './hosts.js'
import { keepScreenshot } from './screenshot.js'
import { logInOn, openTab, visit } from './site-page.js'
import { START_MS, Stage } from './stage.js'

const SCREENS = [
  { name: 'desktop', size: { width: 1280, height: 800 }, colorScheme: 'light' },
  { name: 'phone-dark', size: { width: 360, height: 740 }, colorScheme: 'dark' },
] as const

let stage: Stage
let owner: User
let member: User
beforeAll(async () => {
  stage = await Stage.start(startBuiltPages)
  owner = await anOwner(stage.app)
  member = await aMember(stage.app, owner)
}, START_MS)
afterAll(() => stage?.stop())

/** Pictures of the page as it is now, which everybody can use and which fits on every screen. */
async function expectGoodPage(page: Page, name: string): Promise<void> {
  for (const screen of SCREENS) {
    await page.setViewportSize(screen.size)
    await page.emulateMedia({ colorScheme: screen.colorScheme, reducedMotion: 'reduce' })
    await keepScreenshot(page, `${name}-${screen.name}`)
    expect(await seriousFindings(page)).toEqual([])
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0)
  }
}

describe.each([
  {
    who: 'anybody',
    origin: MAIN,
    site: 'main',
    isLoggedIn: false,
    paths: [
      ...['/login', '/signup', '/forgot-password'],
      ...[
        '/verify-email',
        '/reset-password',
        '/accept-invitation',
        '/confirm-email',
        '/undo-email',
        '/not-me',
        '/accept-transfer',
        '/stop-transfer',
      ],
    ],
  },
  {
    who: 'an owner',
    origin: MAIN,
    site: 'main',
    isLoggedIn: true,
    paths: [
      ...['/account', '/account/team', '/account/team/:member', '/account/sessions', '/account/logins'],
      ...['/account/audit', '/account/security', '/account/profile', '/account/settings', '/subscribe'],
      '/account/not-there',
    ],
  },
  { who: 'anybody', origin: SHOP_ONE, site: 'satellite', isLoggedIn: false, paths: ['/login-form'] },
  {
    who: 'an owner',
    origin: SHOP_ONE,
    site: 'satellite',
    isLoggedIn: true,
    paths: ['/', '/data', '/reports'],
  },
])('pages of the $site site for $who', ({ origin, site, isLoggedIn, paths }) => {
  let page: Page
  let complaints: string[]
  beforeAll(async () => {
    const tab = await openTab(await stage.newPerson())
    ;({ page, complaints } = tab)
    if (!isLoggedIn) return
    await visit(page, `${origin}/`)
    await logInOn(page, owner)
  })
  afterAll(() => page?.context().close())

  test.each(paths)('%s', async path => {
    const isMailed =
      /email$|password$|invitation$|transfer$|not-me$/.test(path) && path !== '/forgot-password'
    const place = path.replace(':member', member.id).replace('/login-form', '/')
    await visit(page, `${origin}${place}${isMailed ? '#token=abc' : ''}`)
    await expectGoodPage(page, `${site}${path.replace(/[/:]+/g, '-').replace(/-$/, '-home')}`)
    expect(complaints).toEqual([])
  })
})
