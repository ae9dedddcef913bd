import type { Random } from '../../support/random.js'
import { type Fleet, memberEmail } from '../fleet.js'
import type { FleetSession } from './fleet-session.js'
import { FleetUser } from './fleet-user.js'

/** The people of the account, each with an address of their own. */
export class FleetCrowd {
  /** Members so far. */
  private count = 0
  private bystanders: FleetUser | undefined
  private owner: FleetSession | undefined

  constructor(
    private readonly fleet: Fleet,
    private readonly random: Random,
  ) {}

  /** A member whom nothing has happened to, with sessions at two shards. */
  async member(): Promise<FleetUser> {
    const member = this.next()
    await member.logInUntilAt(2)
    return member
  }

  /** A session of the owner at the main site. */
  async manager(): Promise<FleetSession> {
    const owner = new FleetUser('owner@fleet.test', '127.20.255.1', this.fleet, this.random)
    this.owner ??= await owner.logIn('main')
    return this.owner
  }

  /** Sessions at every shard that nobody ends. */
  async untouched(): Promise<readonly FleetSession[]> {
    if (this.bystanders) return this.bystanders.sessions
    this.bystanders = this.next()
    await this.bystanders.logInUntilAt(this.fleet.shards.length)
    return this.bystanders.sessions
  }

  private next(): FleetUser {
    const index = this.count++
    return new FleetUser(memberEmail(index), `127.20.${index >> 8}.${index & 255}`, this.fleet, this.random)
  }
}
