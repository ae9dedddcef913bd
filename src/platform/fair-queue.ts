import { type Client, clientNetworkOf, subnetOf } from './http/request.js'

/** A waiting piece of work. */
interface Job {
  readonly start: () => void
  readonly drop: () => void
}

/** Whose turn a job takes. */
export interface Turn {
  /** All networks of a subnet share its turns. */
  readonly subnet: string
  readonly network: string
}

/** The turn for a client; null is the command line. */
export function turnOf(client: Client | null): Turn {
  if (!client) return { subnet: '', network: '' }
  return { subnet: subnetOf(client.ip), network: clientNetworkOf(client.ip) }
}

interface QueueBounds {
  readonly maxRunning: number
  readonly maxWaiting: number
  /** The error for a job that loses its place. */
  readonly refusal: () => Error
}

/**
 * Runs a bounded number of jobs at a time. Waiting jobs take turns by subnet, and within that by
 * network, so a client that sends a thousand waits behind its own. When the queue is full, the subnet
 * with the most waiting jobs loses its newest one.
 */
export class FairQueue {
  private readonly waiting = new Map<string, Map<string, Job[]>>()
  private running = 0
  private count = 0
  private dropped = 0

  constructor(private readonly bounds: QueueBounds) {}

  /** How many jobs are running and waiting now, and how many have lost their place so far. */
  get state() {
    const { running, count: waiting, dropped } = this
    return { running, waiting, dropped }
  }

  /** Returns the result of `work`. Rejects with the refusal when the job was dropped before it started. */
  run<T>(turn: Turn, work: () => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const start = () => {
        this.running++
        // So that a synchronous throw is caught too.
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

  private add({ subnet, network }: Turn, job: Job): void {
    const networks = this.waiting.get(subnet) ?? new Map<string, Job[]>()
    const jobs = networks.get(network) ?? []
    jobs.push(job)
    networks.set(network, jobs)
    this.waiting.set(subnet, networks)
    this.count++
    this.startNext()
    if (this.count > this.bounds.maxWaiting) this.dropOne()
  }

  private startNext(): void {
    if (this.running >= this.bounds.maxRunning) return
    const [subnet, networks] = this.waiting.entries().next().value ?? []
    if (subnet === undefined || !networks) return
    const [network, jobs] = networks.entries().next().value as [string, Job[]]
    const job = jobs.shift() as Job
    // Moves to the end of the line, or leaves it.
    networks.delete(network)
    if (jobs.length > 0) networks.set(network, jobs)
    this.waiting.delete(subnet)
    if (networks.size > 0) this.waiting.set(subnet, networks)
    this.count--
    job.start()
  }

  /** Drops the newest job of the subnet with the most waiting. */
  private dropOne(): void {
    const [subnet, networks] = longest(this.waiting, sizeOf)
    const [network, jobs] = longest(networks, ({ length }) => length)
    const job = jobs.pop()
    if (jobs.length === 0) networks.delete(network)
    if (networks.size === 0) this.waiting.delete(subnet)
    this.count--
    this.dropped++
    job?.drop()
  }
}

function sizeOf(networks: ReadonlyMap<string, readonly Job[]>): number {
  return [...networks.values()].reduce((sum, { length }) => sum + length, 0)
}

/** Among equals, the one whose next turn is furthest away. */
function longest<V>(entries: ReadonlyMap<string, V>, size: (value: V) => number): [string, V] {
  const [first, ...others] = entries as Iterable<[string, V]>
  return others.reduce(
    (best, entry) => (size(entry[1]) >= size(best[1]) ? entry : best),
    first as [string, V],
  )
}
