import { Injectable, type OnApplicationBootstrap } from '@nestjs/common'
import { unavailable } from '../errors/api-error.js'

/**
 * May requests be sent here? That is about this process alone. A database or a Redis that is down is down for every replica:
 * a load balancer that took them all out would also end what goes on without it.
 */
@Injectable()
export class Readiness implements OnApplicationBootstrap {
  private isReady = false

  onApplicationBootstrap(): void {
    this.isReady = true
  }

  /** Throws `NOT_READY` (503) until the service has started, and from `stop()` on. */
  check(): void {
    if (!this.isReady) throw unavailable('NOT_READY')
  }

  /** From now on not ready: requests in flight are finished, new ones should go elsewhere. */
  stop(): void {
    this.isReady = false
  }
}
