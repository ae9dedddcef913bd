import { readFileSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'
import type { Certificate } from './certificate.js'

/** Debian's package; elsewhere another place may be named. */
const PROGRAM = process.env.CHROMIUM ?? '/usr/bin/chromium'

/** The suggestions below the address bar, which nobody sees: each window would load these two pages, for a second. */
const OMNIBOX = ['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup']

/**
 * A headless Chromium that finds each origin at its port of this machine and trusts this one certificate there. All
 * else is as people have it: https on the usual port, sites, cookies, preflights, locks.
 */
export function launchChromium(
  { keyHash }: Certificate,
  ports: Readonly<Record<string, number>>,
): Promise<Browser> {
  const rules = Object.entries(ports).map(
    ([origin, port]) => `MAP ${new URL(origin).hostname}:443 127.0.0.1:${port}`,
  )
  return chromium.launch({
    executablePath: PROGRAM,
    args: [
      `--host-resolver-rules=${[...rules, 'MAP *.test ~NOTFOUND'].join(', ')}`,
      // There is none, and a process that stands in for it costs time.
      '--disable-gpu',
      `--disable-features=${[...featuresOffInPlaywright(), ...OMNIBOX]}`,
      `--ignore-certificate-errors-spki-list=${keyHash}`,
      // As more and more people have it; a test makes sure that the browser still knows this name.
      '--test-third-party-cookie-phaseout',
    ],
  })
}

/** Chromium heeds one list alone, and Playwright does not give away its own. */
function featuresOffInPlaywright(): string[] {
  const bundle = readFileSync(require.resolve('playwright-core/lib/coreBundle'), 'utf8')
  const list = /\bdisabledFeatures = \[([^\]]*)\]/.exec(bundle)?.[1] ?? ''
  const names = [...list.matchAll(/^\s*"(\w+)",?$/gm)].map(([, name]) => name as string)
  if (names.length === 0) throw new Error('Playwright has its list of features elsewhere now')
  return names
}
