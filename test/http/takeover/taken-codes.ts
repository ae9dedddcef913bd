import { SHOP_ONE, type TestApp } from '../../support/test-app.js'
import { aJourney, fragmentOf, redeem } from '../support/handoff-calls.js'
import type { Browser } from './browser.js'

/** Hand-off codes for a satellite, and the sessions that they have opened there. */
export class TakenCodes {
  private readonly unused: { readonly code: string; readonly verifier: string }[] = []
  readonly sessions: string[] = []

  constructor(private readonly app: TestApp) {}

  /** Another code, in the session of the browser. */
  async take(browser: Browser): Promise<void> {
    const { verifier, ...journey } = aJourney()
    const body = { satellite: SHOP_ONE, ...journey }
    const answer = await browser.act('POST', '/api/handoff/codes', body)
    const code = answer.status === 201 && fragmentOf(answer.json.redirect).get('code')
    if (code) this.unused.push({ code, verifier })
  }

  /** Whether any that was not used yet opened a session. */
  async redeem(): Promise<boolean> {
    const had = this.sessions.length
    for (const taken of this.unused.splice(0)) {
      const { status, json } = await redeem(this.app, taken, SHOP_ONE)
      if (status === 200) this.sessions.push(json.sessionId)
    }
    return this.sessions.length > had
  }
}
