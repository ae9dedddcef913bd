import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common'
import { DocumentedGuard, documentationOf } from '../../platform/http/endpoint.js'
import { requestOf } from '../../platform/http/request.js'
import { LiveSessionGuard } from './live-session.guard.js'
import { MainSourceGuard } from './main-source.guard.js'

/**
 * Requires a live session and, for a main session, its cookie. For sensitive routes that satellites and apps
 * may call too: a main-site token stolen from a page is not enough.
 */
@Injectable()
@DocumentedGuard({ ...documentationOf(MainSourceGuard), isOfMainSiteOnly: true })
export class CookieBoundSessionGuard implements CanActivate {
  constructor(
    private readonly mainSource: MainSourceGuard,
    private readonly liveSession: LiveSessionGuard,
  ) {}

  canActivate(context: ExecutionContext): Promise<boolean> {
    const { caller } = requestOf(context)
    return (caller?.source === 'main' ? this.mainSource : this.liveSession).canActivate(context)
  }
}
