import { readFileSync } from 'node:fs'
import type { AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'

const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8')

/** What axe finds on the page, however little: each rule with where it is broken. */
export async function findings(page: Page): Promise<string[]> {
  return (await violationsOn(page)).flatMap(wordsOf)
}

/** As {@link findings}, without what axe calls minor or moderate. */
export async function seriousFindings(page: Page): Promise<string[]> {
  const violations = await violationsOn(page)
  return violations.filter(({ impact }) => impact === 'serious' || impact === 'critical').flatMap(wordsOf)
}

async function violationsOn(page: Page): Promise<AxeResults['violations']> {
  if (!(await page.evaluate('Boolean(globalThis.axe)'))) await page.evaluate(AXE)
  // A colour on its way to another is neither.
  await page.evaluate(
    'for (const animation of document.getAnimations()) if (animation.effect.getComputedTiming().endTime < Infinity) animation.finish()',
  )
  const { violations, passes } = (await page.evaluate('axe.run()')) as AxeResults
  if (passes.length === 0) throw new Error('axe saw nothing')
  return violations
}

function wordsOf({ id, nodes }: AxeResults['violations'][number]): string[] {
  return nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`)
}
