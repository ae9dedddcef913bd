import { Injectable } from '@nestjs/common'
import { Settings } from '../config/settings.js'

/** Pages of the main site that mails lead to. */
export type MailedPage =
  | '/verify-email'
  | '/reset-password'
  | '/accept-invitation'
  | '/confirm-email'
  | '/undo-email'
  | '/not-me'
  | '/accept-transfer'
  | '/stop-transfer'

/** Builds the links in mails, to listed origins only. */
@Injectable()
export class SiteUrls {
  constructor(private readonly settings: Settings) {}

  /**
   * A page of the main site with a token behind the `#`. Browsers never send that part, so it is in no log
   * and no Referer. The same goes for `sites`, the listed ones where the recipient may go from there.
   */
  toMainSite(page: MailedPage, token: string, sites: readonly string[] = []): string {
    const named = sites.map(origin => `&site=${encodeURIComponent(origin)}`).join('')
    return `${this.settings.mainOrigin}${page}#token=${token}${named}`
  }

  /**
   * The front page of a listed origin. Throws an Error for any other origin, because a mail must not lead
   * people elsewhere.
   */
  toSite(origin: string): string {
    return `${this.listed(origin)}/`
  }

  /** The front page of the main site. */
  frontPage(): string {
    return this.toSite(this.settings.mainOrigin)
  }

  /** What people call the site of a listed origin: its host. Null means the main site. */
  siteName(origin: string | null): string {
    return new URL(this.listed(origin ?? this.settings.mainOrigin)).host
  }

  private listed(origin: string): string {
    const { mainOrigin, satelliteOrigins } = this.settings
    if (origin !== mainOrigin && !(satelliteOrigins as ReadonlySet<string>).has(origin))
      throw new Error(`${origin} is not a listed origin, so no mail may link to it`)
    return origin
  }
}
