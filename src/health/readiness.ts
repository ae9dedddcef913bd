import { Injectable } from '@nestjs/common'
import { Database } from '../database/database.js'
import { unavailable } from '../errors/api-error.js'
import { SessionStore } from '../sessions/session-store.js'

/** May requests be sent here? */
@Injectable()
export class Readiness {
  private isStopping = false

  constructor(
    private readonly database: Database,
    private readonly store: SessionStore,
  ) {}

  /** Throws a 503 that names what is missing. */
  async check(): Promise<void> {
    if (this.isStopping) throw unavailable('NOT_READY')
    await Promise.all([this.database.ping(), this.store.ping()])
  }

  /** From now on not ready: in-flight requests are finished, new ones should go elsewhere. */
  stop(): void {
    this.isStopping = true
  }
}
