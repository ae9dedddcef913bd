import type { State } from '@mainstay-auth/client'
import type { BrowserContext, Page } from 'playwright-core'
import type { User } from '../../sources.js'
import { eventually } from '../../support/eventually.js'
import { PASSWORD } from '../../support/people.js'

/** Longer than any wait of the client's that a test lets it come to. */
const PATIENCE_MS = 30_000

/** A tab with a plain page. Code for the page is text: the types of the tests know nothing of a page. */
export class Tab {
  private constructor(readonly page: Page) {}

  /** Opens the page of that origin; resolves when it knows whether somebody is logged in, if it can know. */
  static async open(person: BrowserContext, origin: string): Promise<Tab> {
    const tab = new Tab(await person.newPage())
    await tab.page.goto(`${origin}/`)
    await tab.settled()
    return tab
  }

  /** What this code gives in the page, awaited. `input` is what it finds under that name. */
  // biome-ignore lint/suspicious/noExplicitAny: each test asks something else.
  run(code: string, input: unknown = null): Promise<any> {
    return this.page.evaluate(`(async input => (${code}))(${JSON.stringify(input)})`)
  }

  /** As `run`, but `TypeError` for what the browser does not let the page do or see. */
  // biome-ignore lint/suspicious/noExplicitAny: each test asks something else.
  attempt(code: string, input: unknown = null): Promise<any> {
    return this.run(`(async () => (${code}))().catch(error => error.name)`, input)
  }

  async login({ email }: Pick<User, 'email'>): Promise<void> {
    await this.run('client.login(input).then(() => null)', { email, password: PASSWORD })
  }

  state(): Promise<State> {
    return this.run('client.state')
  }

  /** Resolves when this is true in the page. Playwright's own waiting needs `eval`, which a strict CSP forbids. */
  async until(code: string): Promise<void> {
    await eventually(() => this.run(code), { what: code, timeoutMs: PATIENCE_MS, everyMs: 50 })
  }

  /** Resolves when the page knows this of its session. */
  untilStatus(status: State['status']): Promise<void> {
    return this.until(`client.state.status === '${status}'`)
  }

  /** The status of a call that needs somebody logged in. */
  async readData(): Promise<number> {
    return this.run(`client.fetch('/api/data').then(answer => answer.status)`)
  }

  async reload(): Promise<void> {
    await this.page.reload()
    await this.settled()
  }

  private async settled(): Promise<void> {
    await this.until(`!globalThis.client || client.state.status !== 'unknown'`)
  }
}
