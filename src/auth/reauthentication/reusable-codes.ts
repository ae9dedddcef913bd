import { Injectable } from '@nestjs/common'
import { normalizedCode } from '../../factors/recovery-codes.js'
import { Database } from '../../platform/database/database.js'
import { causeMessage } from '../../platform/errors/api-error.js'
import { Logger } from '../../platform/log.js'
import { OneTimeTokens, UsedTexts } from '../../platform/one-time-tokens.js'
import { Clock, Clock, secondsAfter, secondsAfter } from '../../platform/time.js'
import type { SessionHandle } from '../../sessions/session.js'
import type { FactorProof } from '../second-factor/factor-check.js'

/** From the first use of a code: long enough to try again, and less than a re-authentication lasts. */
const LIFETIME_SECONDS = 2 * 60

/**
 * Codes that were used up although their session could not be stamped. Each can be used once more, in that session
 * only. Passkeys need none of this, because they sign again.
 */
@Injectable()
export class ReusableCodes {
  private readonly logger = new Logger('ReusableCodes')

  constructor(
    private readonly tokens: OneTimeTokens,
    private readonly usedTexts: UsedTexts,
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /**
   * Keeps the code of a proof, if it is one: until the time that {@link take} returned for it, or for two minutes when
   * it was used for the first time. Never rejects: the caller has a failure to report already.
   */
  async keep(sid: SessionHandle, proof: FactorProof, until: Date | null): Promise<void> {
    const text = textOf(sid, proof)
    if (!text) return
    const expiresAt = until ?? secondsAfter(this.clock.now(), LIFETIME_SECONDS)
    try {
      await this.database.run(db => this.usedTexts.add(db, 'unstamped-code', text, expiresAt))
    } catch (error) {
      this.logger.warn(`A code was used up, but its session could not be stamped: ${causeMessage(error)}`)
    }
  }

  /**
   * Until when the code was kept for this session; from now on it is not. Null when it was not. Of two concurrent calls
   * one gets it.
   */
  async take(sid: SessionHandle, proof: FactorProof): Promise<Date | null> {
    const text = textOf(sid, proof)
    return text === null ? null : this.database.run(db => this.tokens.remove(db, 'unstamped-code', text))
  }
}

/** Independent of how the code was typed; null for a passkey. */
function textOf(sid: SessionHandle, { code, recoveryCode }: FactorProof): string | null {
  const typed = code ?? recoveryCode
  return typed === undefined ? null : `${sid} ${normalizedCode(typed)}`
}
