import { setTimeout as sleep } from 'node:timers/promises'
import Stripe from 'stripe'
import { PROVIDER } from '../../conformance/service/environment.js'
import type { PaymentEvent } from '../../sources.js'
import { request } from '../../support/http-request.js'
import type { KillableService } from '../support/killable-service.js'
import type { Random } from '../support/random.js'

/**
 * Posts events, all shuffled, until every single post was answered with 200. Every second one is posted once: what is
 * lost of it after that answer is lost. The others come several times.
 */
export class EventPostings {
  /** How many posts were answered with 200. */
  done = 0
  /** How many there have to be. */
  due = 0
  private readonly waiting: PaymentEvent[] = []

  constructor(
    private readonly services: readonly KillableService[],
    private readonly random: Random,
    private readonly timesEach: number,
    private readonly answeredBy: (service: KillableService) => void,
  ) {}

  get waitingCount(): number {
    return this.waiting.length
  }

  add(events: readonly PaymentEvent[]): void {
    for (const event of events) {
      const times = this.random.below(2) === 0 ? 1 : this.timesEach
      this.due += times
      for (let time = 0; time < times; time++) this.putAnywhere(event)
    }
  }

  /** Posts while `goesOn`, or anything waits; pauses while the posts done have reached `most()`. */
  async run(atOnce: number, goesOn: () => boolean, most: () => number): Promise<void> {
    const poster = async () => {
      while (goesOn() || this.waiting.length > 0) {
        const event = this.done < most() ? this.waiting.shift() : undefined
        if (!event) await sleep(5)
        else if (!(await this.isTaken(event, this.random.oneOf(this.services)))) this.putAnywhere(event)
      }
    }
    await Promise.all(Array.from({ length: atOnce }, poster))
  }

  private putAnywhere(event: PaymentEvent): void {
    this.waiting.splice(this.random.below(this.waiting.length + 1), 0, event)
  }

  /** Whether the process answered 200. One that is being killed does not. */
  private async isTaken(event: PaymentEvent, service: KillableService): Promise<boolean> {
    const body = JSON.stringify(event)
    const secret = PROVIDER.webhookSecret
    const signature = Stripe.webhooks.generateTestHeaderString({ payload: body, secret })
    try {
      const { status } = await request(service.url, {
        method: 'POST',
        path: '/api/webhooks/stripe',
        headers: { 'Content-Type': 'application/json', 'Stripe-Signature': signature },
        body,
      })
      if (status !== 200) return false
      this.done++
      this.answeredBy(service)
      return true
    } catch {
      await sleep(20)
      return false
    }
  }
}
