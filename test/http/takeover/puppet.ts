import type { User } from '../../sources.js'
import { anEmail, PASSWORD } from '../../support/people.js'
import type { TestApp } from '../../support/test-app.js'
import { Mailbox } from '../support/mailbox.js'
import { Browser, type Surroundings } from './browser.js'
import { Keyring } from './keyring.js'

/** Whom a thief invites, to own the account one day, or to act against its owner. */
export class Puppet {
  readonly mailbox: Mailbox
  private readonly browser: Browser
  private readonly keys: Keyring

  constructor(app: TestApp, surroundings: Surroundings, log: string[]) {
    this.mailbox = new Mailbox(app, anEmail())
    this.browser = new Browser(app, { ...surroundings, name: 'puppet' }, log)
    this.keys = new Keyring(app)
  }

  /** Logs in, as soon as there is such a member. */
  async logsIn(): Promise<void> {
    await this.browser.logIn(this.mailbox.address, PASSWORD, this.keys)
  }

  /** What a manager can ask for against a member: `POST /disable`. */
  async attacks({ id }: User, request: string): Promise<void> {
    const [method = '', path = ''] = request.split(' ')
    await this.browser.reauthenticate(PASSWORD, this.keys)
    await this.browser.act(method, `/api/team/${id}${path}`)
  }
}
