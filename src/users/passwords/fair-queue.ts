import type { Client } from '../../http/client.js'
import { clientNetworkOf, subnetOf } from '../../http/network.js'

/** Work that is waiting. */
interface Job {
  readonly start: () => void
  readonly drop: () => void
}

/** Whose turn it takes. */
export interface Turn {
  /** All networks of one neighbourhood share its turns. */
  readonly neighbourhood: string
  readonly network: string
}

/** The turn that a client takes; null is the command line. */
export function turnOf(client: Client | null): Turn {
  if (!client) return { neighbourhood: '', network: '' }
  return { neighbourhood: subnetOf(client.ip), network: clientNetworkOf(client.ip) }
}

export interface QueueBounds {
  readonly maxRunning: number
  readonly maxWaiting: number
  /** The refusal for whoever loses their place. */
  readonly refusal: () => Error
}

/**
 * Runs a bounded number of jobs at a time. Those that wait take turns by neighbourhood, and within one by
 * network, so whoever sends a thousand waits behind their own. When the queue is full, the neighbourhood with
 * most jobs waiting loses its newest.
 */
export class FairQueue {
  private readonly waiting = new Map<string, Map<string, Job[]>>()
  private running = 0
  private count = 0
  private dropped = 0

  constructor(private readonly bounds: QueueBounds) {}

  /** How many jobs run and wait now, and how many have lost their place so far. */
  get state() {
    const { running, count: waiting, dropped } = this
    return { running, waiting, dropped }
  }

  /** What `work` resolves to. Rejects with the refusal when the job was dropped before it began. */
  run<T>(turn: Turn, work: () => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const start = () => {
        this.running++
        // Also when it throws at once.
        Promise.resolve()
          .then(work)
          .then(resolve, reject)
          .finally(() => {
            this.running--
            this.startNext()
          })
      }
      this.add(turn, { start, drop: () => reject(this.bounds.refusal()) })
    })
  }

  private add({ neighbourhood, network }: Turn, job: Job): void {
    const networks = this.waiting.get(neighbourhood) ?? new Map<string, Job[]>()
    const jobs = networks.get(network) ?? []
    jobs.push(job)
    networks.set(network, jobs)
    this.waiting.set(neighbourhood, networks)
    this.count++
    this.startNext()
    if (this.count > this.bounds.maxWaiting) this.dropOne()
  }

  private startNext(): void {
    if (this.running >= this.bounds.maxRunning) return
    const [neighbourhood, networks] = this.waiting.entries().next().value ?? []
    if (neighbourhood === undefined || !networks) return
    const [network, jobs] = networks.entries().next().value as [string, Job[]]
    const job = jobs.shift() as Job
    // To the end of the line, or out of it.
    networks.delete(network)
    if (jobs.length > 0) networks.set(network, jobs)
    this.waiting.delete(neighbourhood)
    if (networks.size > 0) this.waiting.set(neighbourhood, networks)
    this.count--
    job.start()
  }

  /** The newest job of whoever has most waiting. */
  private dropOne(): void {
    const [neighbourhood, networks] = longest(this.waiting, sizeOf)
    const [network, jobs] = longest(networks, ({ length }) => length)
    const job = jobs.pop()
    if (jobs.length === 0) networks.delete(network)
    if (networks.size === 0) this.waiting.delete(neighbourhood)
    this.count--
    this.dropped++
    job?.drop()
  }
}

function sizeOf(networks: ReadonlyMap<string, readonly Job[]>): number {
  return [...networks.values()].reduce((sum, { length }) => sum + length, 0)
}

/** Of equals, the one that has waited least for a turn. */
function longest<V>(entries: ReadonlyMap<string, V>, size: (value: V) => number): [string, V] {
  const [first, ...others] = entries as Iterable<[string, V]>
  return others.reduce(
    (best, entry) => (size(entry[1]) >= size(best[1]) ? entry : best),
    first as [string, V],
  )
}
