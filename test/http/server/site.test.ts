import { expect, it } from '@jest/globals'
import { accentsOf } from '../../sources.js'
import { anOwner } from '../../support/people.js'
import { aSatellite } from '../../support/satellites.js'
import { anApp, MAIN, SHOP_ONE } from '../../support/test-app.js'
import { outcome } from '../support/api-calls.js'

const SETTINGS = {
  SITE_NAME: 'Example & Co',
  SITE_LOGO_URL: 'https://cdn.test/logo.svg',
  SITE_ACCENT: '#b91c1c',
}
const MAIN_SITE = { name: SETTINGS.SITE_NAME, logoUrl: SETTINGS.SITE_LOGO_URL, url: MAIN }

const app = anApp(SETTINGS)

const ask = (headers: Record<string, string>) => app.request({ path: '/api/site', headers })

it('pages: a login form of the main site learns how the site looks, from anywhere and without a login', async () => {
  for (const headers of [{}, { Origin: MAIN }] as Record<string, string>[]) {
    const answer = await ask(headers)
    expect(answer.json).toEqual({
      name: SETTINGS.SITE_NAME,
      logoUrl: SETTINGS.SITE_LOGO_URL,
      accent: accentsOf(SETTINGS.SITE_ACCENT),
      loginMode: 'password',
      main: MAIN_SITE,
      isSignUpOpen: true,
    })
    expect(answer.headers['cache-control']).toBe('public, max-age=60')
    expect(answer.headers.vary).toContain('Origin')
  }
})

it('pages: that of a satellite learns its own name and colour, and how people log in there', async () => {
  const owner = await anOwner(app)
  const branding = {
    name: 'Rosa’s',
    logoUrl: 'https://roses.test/rose.svg',
    accent: '#9d174d',
    background: '#fff1f2',
  }
  await aSatellite(app, owner, 'https://roses.test', { branding, loginMode: 'handoff' })
  expect((await ask({ Origin: 'https://roses.test' })).json).toEqual({
    name: 'Rosa’s',
    logoUrl: branding.logoUrl,
    accent: accentsOf(branding.accent),
    loginMode: 'handoff',
    main: MAIN_SITE,
    isSignUpOpen: true,
  })
  // A satellite of ALLOWED_ORIGINS has no name, and does not pass for the main site.
  const listed = (await ask({ Origin: SHOP_ONE })).json
  expect(listed).toMatchObject({ name: new URL(SHOP_ONE).host, logoUrl: null, loginMode: 'both' })
  expect(outcome(await ask({ Origin: 'https://evil.test' }))).toBe('403 ORIGIN_NOT_ALLOWED')
})
