import type { PageBrand } from './pages/page-layout.js'

export interface PaymentSandboxOptions {
  /** 0 picks a free port. */
  port: number
  /**
   * Default 127.0.0.1, so that nobody else on the network can reach the sandbox. Requests for other hosts are answered
   * 421, except for addresses, localhost and names without a dot.
   */
  host?: string
  /** The only bearer key that the API accepts. */
  secretKey: string
  /** Where to post events; null for nowhere. */
  webhookUrl: string | null
  /** A certificate (PEM) to trust at the webhook, besides those that Node trusts: one that a machine made for itself. */
  webhookCertificate?: string
  webhookSecret: string
  /** The prices that exist; see `Prices` for what their ids mean. */
  priceIds: string[]
  /** The file that keeps the state across restarts. Without it, the state is in memory only. */
  stateFile?: string
  /** How many events stay listed. Default 20,000, or 500 with a state file, which every change rewrites. */
  maxEvents?: number
  /**
   * Whether to send the `SecondaryEvents` too, as Stripe does. Default true; false helps tests that count
   * events.
   */
  secondaryEvents?: boolean
  /** The `livemode` of all events. Default false. */
  livemode?: boolean
  /** The account that the secret key belongs to. Default `acct_payment_sandbox`. */
  accountId?: string
  /** The name and colours of the pages; neutral ones by default. */
  brand?: PageBrand
}

const MAX_EVENTS = 20_000
const MAX_EVENTS_IN_FILE = 500

export function maxEventsOf({ maxEvents, stateFile }: PaymentSandboxOptions): number {
  return maxEvents ?? (stateFile ? MAX_EVENTS_IN_FILE : MAX_EVENTS)
}
