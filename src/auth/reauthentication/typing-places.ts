import { Injectable } from '@nestjs/common'
import type { ErrorCode } from '../../errors/error-codes.js'
import type { Client } from '../../http/client.js'
import type { Session } from '../../sessions/session.js'
import type { User } from '../../users/user.js'
import { LoginPlaces } from '../login/login-places.js'

/** Where a session began, and where its client is now. */
export interface TypingPlace extends Pick<Session, 'source' | 'origin'> {
  readonly client: Pick<Client, 'origin'>
}

/**
 * Where users may type their secrets within a session. Where the session began counts too: a customer's server
 * could pass on, without an Origin, what was typed on its page.
 */
@Injectable()
export class TypingPlaces {
  constructor(private readonly places: LoginPlaces) {}

  /** `OWNER_LOGIN_BARRED` or `HANDOFF_REQUIRED` where the user may not type a password; null where they may. */
  async refusalOfPassword(user: User, { source, origin, client }: TypingPlace): Promise<ErrorCode | null> {
    for (const place of new Set([origin, client.origin])) {
      if (this.places.isBarredOwner(user, { source, origin: place })) return 'OWNER_LOGIN_BARRED'
      if (await this.places.requiresHandoff(user, place)) return 'HANDOFF_REQUIRED'
    }
    return null
  }

  /** The same for codes, which may be typed in fewer places. */
  async refusalOfCode(user: User, place: TypingPlace): Promise<ErrorCode | null> {
    const isKeptAway = [place.origin, place.client.origin].some(origin =>
      this.places.keepsSecondFactorAway(user, origin),
    )
    return isKeptAway ? 'HANDOFF_REQUIRED' : this.refusalOfPassword(user, place)
  }
}
