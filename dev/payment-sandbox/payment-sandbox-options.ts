export interface PaymentSandboxOptions {
  /** 0 takes a free port. */
  port: number
  /** Default 127.0.0.1: nobody else on the network should see this. */
  host?: string
  /** The one bearer key that is accepted. */
  secretKey: string
  /** Where events are posted; null when they are not. */
  webhookUrl: string | null
  webhookSecret: string
  /** The prices that exist. */
  priceIds: string[]
  /** Where the state survives a restart; without it, it does not. */
  stateFile?: string
  /** How many events can be listed later. Default 20,000, or 500 with a state file: each change writes it anew. */
  maxEvents?: number
  /** Whether a payment's parts have events of their own, as at Stripe. Default true; false is for who counts events. */
  secondaryEvents?: boolean
  /** What events claim of themselves. Default false, as it is true of them all. */
  livemode?: boolean
  /** Whose the secret key is; `acct_payment_sandbox` unless another account is played. */
  accountId?: string
}

const MAX_EVENTS = 20_000
const MAX_EVENTS_IN_FILE = 500

export function maxEventsOf({ maxEvents, stateFile }: PaymentSandboxOptions): number {
  return maxEvents ?? (stateFile ? MAX_EVENTS_IN_FILE : MAX_EVENTS)
}
