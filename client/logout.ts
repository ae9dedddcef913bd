import type { AccessToken } from './access-token.js'
import type { Api } from './api.js'
import { MainstayError } from './mainstay-error.js'
import type { Platform } from './platform.js'
import type { Presented } from './session-home.js'
import { isPassing, sleep, waitMs } from './waiting.js'

/** What is left of a session that this device has forgotten already. */
interface Rest {
  readonly token: AccessToken | null
  readonly session: Presented | null
  readonly sid: string | null
}

/** Tells the service that a session is over, as often as it takes. */
export class Logout {
  readonly done: Promise<void>
  private readonly calledOff = new AbortController()
  private token: AccessToken | null

  constructor(
    private readonly api: Api,
    private readonly platform: Platform,
    private readonly rest: Rest,
  ) {
    this.token = rest.token
    this.done = this.run()
  }

  /** No more tries; resolves when the last one is over. A late one would take the cookie of whoever logs in next. */
  async callOff(): Promise<void> {
    this.calledOff.abort()
    await this.done.catch(() => {})
  }

  private async run(): Promise<void> {
    const { signal } = this.calledOff
    for (let failures = 0; !signal.aborted; failures += 1) {
      try {
        return await this.tryOnce()
      } catch (error) {
        const isStale = error instanceof MainstayError && error.status === 401
        if (isStale) this.token = null
        else if (!isPassing(error)) throw error
        if (!isStale || failures > 0)
          await sleep(this.platform, waitMs(failures, error, this.platform.random()), signal)
      }
    }
  }

  /** Without a live token it takes a new one to log out with; if there is none to be had, the session is over. */
  private async tryOnce(): Promise<void> {
    const { session, sid } = this.rest
    this.token ??= session && (await this.api.refresh(session))
    const isThisSession = this.token && (sid === null || this.token.caller.sid === sid)
    if (isThisSession) await this.api.logout(this.token as AccessToken)
  }
}
