import { Injectable, type OnApplicationBootstrap } from '@nestjs/common'
import { unavailable } from '../platform/errors/api-error.js'

/**
 * Whether requests may be sent here. It is about this process alone: a database or Redis that is down is down for
 * every replica, and a load balancer that removed them all would also take down what works without it.
 */
@Injectable()
export class Readiness implements OnApplicationBootstrap {
  private isReady = false

  onApplicationBootstrap(): void {
    this.isReady = true
  }

  /** Throws `NOT_READY` (503) until the service has started, and after `stop()`. */
  check(): void {
    if (!this.isReady) throw unavailable('NOT_READY')
  }

  /** Not ready from now on: requests in progress finish, new ones should go elsewhere. */
  stop(): void {
    this.isReady = false
  }
}
