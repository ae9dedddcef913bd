import type { Clock } from '../../../clock/clock.js'
import type { Settings } from '../../../config/settings.js'
import { ask, type HttpAnswer, type Question, type Target } from './http-probe.js'

/** The running service as its clients reach it. */
export class Outside {
  /** After its certificate was found wrong: then it is asked all the same, but nothing secret is sent. */
  isUnverified = false

  constructor(
    readonly target: Target,
    readonly settings: Settings,
    readonly clock: Clock,
    /** Further servers that have to be like it. */
    readonly replicas: readonly URL[],
  ) {}

  get origin(): URL {
    return this.target.origin
  }

  ask(question: Question, at: URL | null = this.target.at): Promise<HttpAnswer> {
    return ask({ ...this.target, at }, question, { isUnverified: this.isUnverified })
  }
}
