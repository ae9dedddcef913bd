import { isLoopback } from '../../../platform/config/origin.js'
import type { Settings } from '../../../platform/config/settings.js'
import type { Clock } from '../../../platform/time.js'
import { ask, type HttpAnswer, type Question, type Target } from './http-probe.js'

/** The running service as its clients reach it. */
export class Outside {
  /** Set when its certificate was found to be wrong: it is still asked, but nothing secret is sent. */
  isUnverified = false

  constructor(
    readonly target: Target,
    readonly settings: Settings,
    readonly clock: Clock,
    /** Further servers, which have to agree with it. */
    readonly replicas: readonly URL[],
  ) {}

  get origin(): URL {
    return this.target.origin
  }

  get isPublicUrl(): boolean {
    return this.origin.href.replace(/\/+$/, '') === this.settings.publicUrl
  }

  /**
   * Why no token is sent to it; null when one is. An operator who has mistyped a name must not hand one to a
   * stranger; servers named by `--at` and `--replica` are the operator's own.
   */
  get reasonForNoToken(): string | null {
    const { protocol, hostname } = this.origin
    if (this.isUnverified) return 'no token is sent over a certificate that is not valid'
    if (!this.isPublicUrl) return 'a token is sent to PUBLIC_URL alone'
    if (protocol !== 'https:' && !isLoopback(hostname)) return 'no token is sent without TLS'
    return null
  }

  ask(question: Question, at: URL | null = this.target.at): Promise<HttpAnswer> {
    return ask({ ...this.target, at }, question, { isUnverified: this.isUnverified })
  }
}
